"""The `beliefs` toolset."""

from typing import Any

from memory_bank.interfaces import beliefs, introspection, recollection, sessions
from memory_bank.interfaces.mcp.tools import Tool

TOOLS: tuple[Tool[Any, Any], ...] = (
    Tool(
        name="remember",
        title="Remember facts about a thing",
        description=(
            "State facts about a person, project, service, preference, decision or any other thing by its name; it is "
            "made or added to. Facts that a new one contradicts are superseded, never lost: read the warning in the "
            "answer, undo where the old one was right, and keep both where both hold. Use supersede to replace or "
            "remove a fact, and name=self for observations about your own behaviour. Repeating a fact makes it surer."
        ),
        arguments=beliefs.Remember,
        answer=beliefs.RememberAnswer,
        run=beliefs.remember,
        destructive=True,
    ),
    Tool(
        name="recall",
        title="Recall what is known",
        description=(
            "Recall before you answer or act. mode=search finds notes, facts and past exchanges by meaning and by word "
            "in one list; entity gives one thing with its facts; history how they changed; relations how things "
            "relate; exchanges past turns; timeline what happened lately. Nothing relevant gives an empty list."
        ),
        arguments=recollection.Recall,
        answer=recollection.RecallAnswer,
        run=recollection.recalled,
    ),
    Tool(
        name="observe",
        title="Keep an exchange",
        description=(
            "Keep a turn of the conversation, what the user said and what you answered, when it may matter later. "
            "Near-repetitions of a recent turn are merged. State lasting facts with remember as well."
        ),
        arguments=sessions.Observe,
        answer=sessions.ObserveAnswer,
        run=sessions.observe,
    ),
    Tool(
        name="relate",
        title="Relate two things",
        description=(
            "State how one thing relates to another, such as billing-api depends-on redis. Choose the most specific "
            "type: uses, depends-on, part-of, works-at, owns, created-by, causes, replaces, located-in, prefers, "
            "is-a, related-to, or words of your own. Unknown things are made; stating it again makes it stronger."
        ),
        arguments=beliefs.Relate,
        answer=beliefs.RelationAnswer,
        run=beliefs.relate,
    ),
    Tool(
        name="context",
        title="Working memory of a session",
        description=(
            "Push what you do, see, decide or run into while you work, and get the last events back after an "
            "interruption or a restart. The last 25 events of each session are kept."
        ),
        arguments=sessions.Context,
        answer=sessions.ContextAnswer,
        run=sessions.context,
        destructive=True,
    ),
    Tool(
        name="task",
        title="Tasks across restarts",
        description=(
            "Start a task before longer work, and list open ones when you begin: a similar open task goes on instead "
            "of a second one. Finish it with done and its result, or abort and the reason; both are remembered and "
            "can be recalled. A running task without a step for 2 hours is given up."
        ),
        arguments=sessions.TaskArguments,
        answer=sessions.TasksAnswer,
        run=sessions.act,
    ),
    Tool(
        name="introspect",
        title="Look at what is remembered",
        description=(
            "See how much is remembered, which things nobody has seen for long, and which facts about ports, "
            "versions, paths and the like should be verified, with a hint how."
        ),
        arguments=introspection.Introspect,
        answer=introspection.IntrospectAnswer,
        run=introspection.introspect,
        read_only=True,
        idempotent=True,
    ),
    Tool(
        name="consolidate",
        title="Put away what is old",
        description=(
            "Archive facts that were superseded long ago, retire unsure ones that nobody confirmed, archive old "
            "exchanges, and report things that may be one. Runs by itself every day; use dry_run to see first. "
            "Nothing is deleted, and people, projects, preferences, decisions and the like are never retired."
        ),
        arguments=beliefs.Consolidate,
        answer=beliefs.ConsolidateAnswer,
        run=beliefs.consolidate,
        destructive=True,
        idempotent=True,
    ),
    Tool(
        name="forget",
        title="Forget",
        description=(
            "Forget a thing with all its facts and relations, one fact, a relation, or exchanges, when the user asks "
            "for it. Call with preview first and show what would go. It is gone from every search and history."
        ),
        arguments=introspection.Forget,
        answer=introspection.ForgetAnswer,
        run=introspection.forget,
        destructive=True,
        idempotent=True,
    ),
)
