"""Geometry: the laboratory of chapter 4, one experiment a screen."""

import streamlit as st

from lincore import laboratory
from pages.ui.geometry import choice, screen
from pages.ui.session import sidebar
from pages.ui.widgets import text

sidebar.show("geometry")
heading = st.container()
word, preset, presenter = choice.ask()
heading.header(text.escape(laboratory.EXPERIMENTS[word].title), anchor=False)
screen.show(word, preset, presenter)
