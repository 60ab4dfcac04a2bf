"""Loading of anything as a data set: tables, images, arrays, bundled samples."""
