from .cross_validation import SharedScores as SharedScores
from .cross_validation import score_rows as score_rows
from .shared_moments import SMALLEST_CELL as SMALLEST_CELL
from .shared_moments import SharedMoments as SharedMoments
from .shared_moments import merge as merge
from .shared_moments import summarise as summarise
from .summary_file import read_summary as read_summary
from .summary_file import summary_bytes as summary_bytes
