"""The clocks of a table. They can be stopped and started, players can give time, and seats can have reserve time.

While a clock is stopped, its questions have no deadline. When it continues, each question has the time it had left by the
pace. A question first asked in the meantime has all of its time. Games can be played while their clocks are stopped.
Immediate answers (the day of a game without a calendar, bots) use no clock.
"""
