from .basis import RadialBasis as RadialBasis
from .basis import TrigonometricFeatures as TrigonometricFeatures
from .basis import kernel as kernel
from .basis import polynomial as polynomial
from .hog import HOG as HOG
from .pca import PCA as PCA
from .standardize import Standardizer as Standardizer
