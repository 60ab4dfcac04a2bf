from .captured_warnings import heard as heard
from .spreadsheet import spreadsheet_safe as spreadsheet_safe
from .typing import Progress as Progress
