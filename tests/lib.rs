//! Integration tests of the whole product live in `product/`; this library is empty.
