from .palette import COLOURS as COLOURS
from .palette import GREY as GREY
from .palette import INK as INK
from .palette import colour as colour
from .palette import translucent as translucent
from .style import axis as axis
from .style import shorten as shorten
from .style import shorten_all as shorten_all
