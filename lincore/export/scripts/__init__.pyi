from .script import to_notebook as to_notebook
from .script import to_script as to_script
