"""Geometry: the laboratory of chapter 4, one experiment per screen."""

import streamlit as st

from lincore import laboratory
from pages.ui.frame import sidebar
from pages.ui.geometry import choice, screen
from pages.ui.widgets import text

sidebar.begin()
top = st.container(horizontal=True, vertical_alignment="center", key="geometry.top")
heading = top.container(key="geometry.heading")
word, preset, presenter = choice.ask(top)
title = laboratory.EXPERIMENTS[word].title
heading.header(text.escape(title), anchor=False)
sidebar.show_rows_of(title, screen.rows(word, preset))
screen.show(word, preset, presenter)
