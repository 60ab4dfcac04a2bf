from .boundary_lines import trace_lines as trace_lines
from .class_ellipses import with_ellipses as with_ellipses
from .markers import Marks as Marks
from .markers import point_traces as point_traces
from .regions import Layer as Layer
from .regions import Map as Map
from .shading import boundary_trace as boundary_trace
from .shading import filled as filled
