"""The clocks of a table: they are stopped and started, others give time to who is asked, and seats have a reserve of it.

Another part stops and starts clocks by letting `requests.StopClocks` and `requests.StartClocks` stand among the events that its
`decide` or `react` answers with, and gives time by `requests.MoreTime`; it need not know this one. While a clock stands nothing is due;
when it goes on, each question has as much time as it had left, by what the pace counts, and one that was first asked meanwhile
has all of its time. Games go on being played while their clocks stand. What happens at once (the day of a game without a
calendar, bots) goes by no clock.
"""
