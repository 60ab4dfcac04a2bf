from .dask import Dask as Dask
from .executor import Executor as Executor
from .executor import Inline as Inline
from .parquet import open_parquet as open_parquet
from .partitioned_data import Partition as Partition
from .partitioned_data import PartitionedData as PartitionedData
from .process_pool import ProcessPool as ProcessPool
from .table import open_large_table as open_large_table
