"""Start: introduction, entries to the data, and a finished example."""

import streamlit as st

from pages.ui.server import preload

is_first_visit = not st.session_state and not st.query_params
introduction = st.empty()
with introduction.container():
    st.header("Compare linear classifiers, and see what class imbalance costs", anchor=False)
    st.markdown(
        "An honest comparison on your own table or images, the geometry that explains it, and the "
        "corrections that recover the loss."
    )
# The headline is drawn before the imports have finished.
preload.wait(for_start=is_first_visit)


def show() -> None:
    """Draw the entries and the example, or ask for the file of a link."""
    from pages.ui.frame import sidebar, uploads
    from pages.ui.session import link
    from pages.ui.start import entries, finished_example

    sidebar.show_on_start()
    awaited = link.awaited()
    if awaited is not None:
        introduction.empty()
        uploads.ask_again(awaited)
        return
    entries.show()
    finished_example.show()


show()
