"""python -m snag: the tool."""
from ._tool import main

main()
