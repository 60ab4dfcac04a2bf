from .spreadsheet import spreadsheet_safe as spreadsheet_safe
from .thread_warnings import captured_warnings as captured_warnings
from .typing import Progress as Progress
