"""Stop words: English function words, with which no term starts or ends."""

from __future__ import annotations

# Articles, pronouns, prepositions, conjunctions, auxiliaries and the adverbs of degree, time and
# place that occur in texts on any subject, with their contractions ("don't"), in both apostrophes.
_ENGLISH = """
a an the this that these those such same other another each every either neither both all any
some few many much more most several enough less least own none no not nor only i me my mine
myself we us our ours ourselves you your yours yourself yourselves he him his himself she her
hers herself it its itself they them their theirs themselves one oneself who whom whose which
what whatever whichever whoever where when why how someone somebody something anyone anybody
anything everyone everybody everything nobody nothing about above across after against along
amid among amongst around as at because before behind below beneath beside besides between
beyond but by concerning despite down during except for from in inside into like near of off on
onto or out outside over past per regarding since than through throughout till to toward towards
under underneath unlike until unto up upon versus via with within without and also although if
lest so though unless whereas whether while yet am is are was were be been being do does did
doing done have has had having can cannot could may might must shall should will would ought
need again almost already always anyway away back else even ever far forth further hence here
however indeed instead just later maybe meanwhile moreover never nevertheless now often once
otherwise perhaps quite rather really sometimes somewhat soon still then thence there thereby
therefore thus together too twice very well whenever wherever ain't aren't can't couldn't didn't
doesn't don't hadn't hasn't haven't he'd he'll he's i'd i'll i'm i've isn't it'd it'll it's
let's mightn't mustn't needn't shan't she'd she'll she's shouldn't that's there's they'd they'll
they're they've wasn't we'd we'll we're we've weren't what's who's won't wouldn't you'd you'll
you're you've ain’t aren’t can’t couldn’t didn’t doesn’t don’t hadn’t hasn’t haven’t he’d he’ll
he’s i’d i’ll i’m i’ve isn’t it’d it’ll it’s let’s mightn’t mustn’t needn’t shan’t she’d she’ll
she’s shouldn’t that’s there’s they’d they’ll they’re they’ve wasn’t we’d we’ll we’re we’ve
weren’t what’s who’s won’t wouldn’t you’d you’ll you’re you’ve e.g i.e etc
"""

ENGLISH = frozenset(_ENGLISH.split())
