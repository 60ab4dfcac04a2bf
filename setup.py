"""Packages of the wheel: the library, and the dashboard as one package of its own.

In the repository ``app.py``, ``pages/`` and ``.streamlit/`` lie where Streamlit expects them; in
the wheel all three lie in ``lincore_dashboard/``.
"""

from setuptools import find_namespace_packages, find_packages, setup

DASHBOARD = "lincore_dashboard"

setup(
    # Beside app.py this file would go with it, were it not known to be the setup script.
    script_name="setup.py",
    packages=[
        *find_packages(include=["lincore*"]),
        DASHBOARD,
        *(f"{DASHBOARD}.{name}" for name in find_namespace_packages(include=["pages*"])),
    ],
    package_dir={DASHBOARD: "."},
    package_data={
        "lincore": ["py.typed", "**/*.pyi", "**/*.html"],
        DASHBOARD: [".streamlit/config.toml"],
        f"{DASHBOARD}.pages.ui": ["icon.png"],
        f"{DASHBOARD}.pages.ui.geometry": ["*.html", "*.css", "*.js"],
        f"{DASHBOARD}.pages.ui.start": ["*.json"],
        f"{DASHBOARD}.pages.ui.frame": ["*.html", "*.css", "*.js"],
    },
)
