/**
 * Signs of orders to the model, and of promotion, in a text. The signs are English. Each names what a description does
 * not need: an ordinary "Use search_notes to find the id" is none.
 */
import { quoted } from '../../../../text/src/quoted.ts'
import { printable } from '../../../../text/src/terminal-text.ts'
import type { ModelText } from '../texts.ts'
import { wordsOf } from './verbs.ts'

const ACTOR = '(?:you|claude|chatgpt|gpt|(?:the|this) (?:model|assistant|ai|agent|llm))'
const TOOL = '(?:tools?|functions?|servers?|connectors?|apps?|plugins?|skills?)'
const PERSON = '(?:the |your )?(?:user|person|human|customer)s?'
const RULES =
  '(?:instructions?|prompts?|rules?|messages?|guidelines?|directions?|context|constraints?|polic(?:y|ies))'

/** Orders that no text of a server gives. */
const ORDERS: readonly RegExp[] = [
  // Overriding what others said.
  new RegExp(
    `\\b(?:ignore|disregard|forget|override|bypass) (?:all |any |the |your |every |of |these |those |other ){0,4}(?:previous|prior|above|earlier|preceding|system|other|existing|safety|original|foregoing) (?:\\w+ )?${RULES}`,
  ),
  new RegExp(
    `\\b(?:ignore|disregard|forget) (?:all |any |the |your |everything ){1,3}(?:${RULES}|above|before)\\b`,
  ),
  /\b(?:reveal|repeat|print|output|show|send|include|leak) (?:your|the) (?:system|hidden|original|initial) (?:prompt|instructions?|message)/,
  /<\/?(?:system|important|instructions?|assistant_instructions)\b[^<>]{0,100}>|\[\/?inst\]|<\|[a-z_]{2,20}\|>/,
  /(?:^|\n) {0,3}(?:system|assistant|developer) ?: /,
  /(?:^|\n) {0,3}\[(?:system|assistant|developer)\]/,
  /(?:^|\n)[#* ]{0,6}(?:\w+ )?instructions? (?:for|to) (?:the |this )?(?:assistant|model|ai|agent|llm|claude|chatgpt) ?:/,
  /\bforget everything (?:you|that|above|before)\b|\byour (?:new|real|true|actual) (?:instructions?|rules?|task|goal) (?:is|are)\b/,
  /\byou are now (?:a|an|the|in|no longer|acting)\b/,
  // Keeping it from the person.
  new RegExp(
    `\\b(?:do not|don't|never|must not|should not|without) (?:tell|inform|notify|alert|mention|reveal|show|disclose|admit|report)(?:ing)?(?: (?:this|it|that|anything|about this|about it|(?:this|the) (?:tool|call|server|function|request)))?(?: to)? ${PERSON}\\b`,
  ),
  new RegExp(
    `\\b(?:hide|conceal|keep) (?:this|it|that|the \\w+)(?: (?:secret|hidden))? from ${PERSON}\\b`,
  ),
  /\b(?:secretly|silently|covertly) (?:call|send|read|include|run|use|add|forward|upload)\b/,
  new RegExp(`\\b(?:do not|don't) ask ${PERSON}\\b`),
  new RegExp(
    `\\b(?:do not|don't|never|must not|should not|without) (?:mention|reveal|disclose|announce|acknowledge|talk about|refer to|say anything about)(?:ing)? (?:this|it|that|these|its use|your use of it|the (?:${TOOL}|call|source|instructions?|rules?))\\b`,
  ),
  /\b(?:keep|stay) (?:(?:this|it) )?(?:quiet|silent|secret|between us|confidential)(?: about (?:this|it|the \w+))?\b/,
  // Other software.
  /\b(?:run|execute|open|start|launch) (?:the |this |these )?following (?:shell )?(?:commands?|scripts?|code|programs?)/,
  /\b(?:use|call|invoke) (?:the )?(?:bash|shell|terminal|curl|powershell|web_search|web_fetch|computer_use)\b/,
  /\b(?:after|before) (?:using|calling|running) this(?: tool)?, (?:always )?(?:run|execute|read|open|send|write) /,
  // Roles, and what the person has said to others.
  /(?:^|[.!?:;] )(?:act|behave) as (?:an?|the|if) /,
  /\b(?:pass|include|send|provide|supply|attach) (?:the |your |all |any ){0,2}(?:full |whole |entire |complete |previous |current )?(?:conversation|chat) (?:history|transcript|log|so far|messages)\b/,
  // Instructions that are elsewhere.
  /\b(?:fetch|read|load|get|download|visit|open|consult|check|see|use)\b[^.!?\n]{0,80}https?:\/\/\S{1,300}[^.!?\n]{0,40}\b(?:and|then|to) (?:then |always |strictly )?(?:(?:obey|execute|do|apply|adhere|comply)\b|follow (?!(?:redirects?|links?|up)\b))/,
  new RegExp(
    `\\b(?:fetch|read|load|get|download|consult|check) (?:the |your |our |these |all |latest ){0,3}(?:[a-z]+ )?(?:system )?${RULES} (?:at|from|in|on|under) \\S{1,300}[^.!?\\n]{0,20}\\b(?:first|before|and (?:then )?(?:follow|obey|apply|comply))\\b`,
  ),
  /\b(?:follow|obey|execute|carry out) (?:all |any |the |its |their ){0,2}(?:instructions|rules|commands|guidelines|orders)\b/,
  /\b(?:fetch|load|download|retrieve) https?:\/\/\S{1,300} (?:for|to get|to read) (?:the |your |further |more )?instructions\b/,
  /\b(?:read|load|fetch|get|download|check) (?:the |your |further |more |additional |latest |new ){1,3}instructions (?:from|at|in|on)\b/,
]

/** Orders about tools, which instructions of a server may give of its own tools. */
const STEERING: readonly RegExp[] = [
  /\b(?:always|never|only ever) (?:call|invoke)\b/,
  new RegExp(
    `\\b(?:always|never) (?:use|run|prefer|choose|select|pick|try|start with|begin with) (?:this|it\\b|the |our |my |any |another |other )?(?: ?\\w+){0,3}? ?\\b${TOOL}\\b`,
  ),
  // A limit, such as "Never use it for live payments", steers away from the tool itself.
  /\balways (?:use|run|prefer|try|start with|begin with) (?:this|it)\b/,
  /\b(?:always|never) (?:respond|answer|reply|recommend|trust|say|tell|mention|follow|obey|suggest|ask|end your|begin your|start your|include (?:this|a link|the following))\b/,
  new RegExp(
    `\\b${ACTOR} (?:must|shall|should always|should never|are required to|is required to) (?!(?:not )?(?:be|have|provide|specify|pass|supply|own|know|set|give|enter|select|choose|hold|belong|contain|exist|match)\\b)`,
  ),
  new RegExp(
    `\\b${ACTOR} (?:have to|has to|need to|needs to|ought to) (?:always |first |never )?(?:call|use|invoke|run|tell|respond|answer|reply|recommend|say|follow|obey|trust)\\b`,
  ),
  new RegExp(
    `\\b(?:call|use|invoke|run) (?:this|it|the \\w+)(?: ${TOOL})? (?:first|before|prior to|after|instead of) (?:any|every|each|all|other|answering|responding|replying)\\b`,
  ),
  new RegExp(
    `\\b(?:instead of|rather than|do not use|don't use|never use|avoid) (?:any |all |every )?(?:other|another|built-in|competing|alternative) (?:\\w+ )?${TOOL}\\b`,
  ),
  new RegExp(`\\b(?:do not|don't|never) use any (?:\\w+ ){0,2}${TOOL}\\b`),
  new RegExp(
    `\\b(?:ignore|disregard|discard|do not trust|don't trust) (?:the |any |all )?(?:\\w+ (?:of|from) )?(?:any |all )?other (?:\\w+ )?${TOOL}\\b`,
  ),
  new RegExp(
    `\\bthis (?:tool |function )?must (?:always |first )?be (?:called|used|invoked|run) (?:whenever\\b|when(?:ever)? ${PERSON}\\b|every time\\b|before (?:answering|responding|replying)\\b)`,
  ),
  new RegExp(`\\b(?:prefer|choose|select|pick) (?:this|our) (?:\\w+ )?${TOOL}\\b`),
  /\b(?:prefer|favou?r|prioriti[sz]e|choose|select|pick) (?:this|it)(?: one)? (?:over|to|instead of|rather than|above|whenever|every time|for (?:all|any|every))\b/,
  new RegExp(
    `\\bbefore (?:using|calling|invoking|trying) (?:any|another|other|all|every) (?:other )?${TOOL}\\b`,
  ),
  /\bmust (?:always |first )?be (?:called|used|invoked|run) (?:first|before (?:any|every|each|all|other)|for (?:all|every|each|any))\b/,
  new RegExp(
    `\\b(?:overrides?|replaces?|supersedes?) (?:all |any |the ){0,2}(?:other|existing|built-in) ${TOOL}\\b`,
  ),
  /\b(?:claude|chatgpt|gpt) (?:should|will) (?:always |never |first )?(?:call|use|invoke|run|prefer|choose|respond|answer|recommend|ask|tell|say|trust|send|include)\b/,
]

const PROMOTIONS: readonly RegExp[] = [
  /\b(?:better|faster|cheaper|superior|more (?:accurate|reliable|powerful)) (?:than|to) (?:any|all|other|every|competing|the other) (?:other )?(?:\w+ )?(?:tools?|servers?|connectors?|apps?|services?|products?|solutions?|alternatives?|competitors?)\b/,
  /\b(?:is|are) the (?:world's )?(?:best|leading|number one|most (?:popular|trusted|powerful|advanced)) (?:\w+ ){0,2}(?:tools?|servers?|connectors?|apps?|platforms?|solutions?|products?|services?)\b/,
  /\b(?:world's (?:best|leading|most)|market-leading|industry-leading|world-class|best-in-class|number one choice)\b|(?:^|\s)#1 (?:\w+ )?(?:tool|app|service|platform|solution|product|choice)\b/,
  /\b(?:upgrade|subscribe|sign up|switch)(?: now| today)? (?:to|for) (?:our |the |a )?(?:\w+ )?(?:pro|premium|plus|paid|enterprise|newsletter|free trial|subscription)\b/,
  /\baward-winning (?:\w+ ){0,2}(?:tools?|servers?|connectors?|apps?|platforms?|engines?|solutions?|products?|services?)\b|\bour award-winning\b/,
  /\blimited[- ]time (?:offer|deal|discount)s?\b|\b(?:our|get|claim|enjoy) (?:an? |this |the |your |our )?(?:special|exclusive) (?:offer|deal|discount)s?\b|\b(?:buy|order|subscribe|sign up|try it|get it) (?:now|today)\b/,
  /\brecommend (?:our|us)\b/,
  /\bbest (?:\w+ ){0,4}(?:on the market|in the world|ever made)\b|\b(?:use|try|choose) our (?:product|service|app|platform)\b/,
]

/** As the words are compared: lower case, plain quotes, single spaces. Line ends stay, because roles begin a line. */
const plain = (text: string) =>
  text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[*_`]{2,}/g, '')
    .replace(/[^\S\n]+/g, ' ')
    .toLowerCase()

const OTHER_TOOL = /\b(?:call|invoke)(?: the)?(?: tool)? [`"']?([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\b/g

/** The order, as a part of a sentence; undefined for a text that describes. */
export function instructionIn(
  { text, isInstructions = false }: ModelText,
  toolNames: ReadonlySet<string>,
): string | undefined {
  const lines = plain(text)
  const flat = lines.replaceAll('\n', ' ').replace(/ +/g, ' ')
  const patterns = isInstructions ? ORDERS : [...ORDERS, ...STEERING]
  const found = firstMatch(patterns, flat) ?? firstMatch(ORDERS, lines)
  if (found !== undefined) return shown(found)
  const other =
    [...flat.matchAll(OTHER_TOOL)].find(([, name = '']) => !hasName(toolNames, name)) ??
    [...flat.matchAll(TOOL_OF_ANOTHER)].find(([, name = '']) => !hasName(toolNames, name)) ??
    [...flat.matchAll(NAMED_TOOL)].find(([, word = '']) => !hasWord(toolNames, word))
  return other && `${shown(other[0])}, which is no tool of this server`
}

/** "call the Slack send_message tool" */
const TOOL_OF_ANOTHER =
  /\b(?:use|call|invoke) the [a-z][a-z0-9]* [`"']?([a-z][a-z0-9]*(?:_[a-z0-9]+)+)[`"']? (?:tool|function)\b/g

/** "use the filesystem tool" */
const NAMED_TOOL = /\b(?:use|call|invoke) (?:the|your) ([a-z][a-z0-9-]*) tool\b/g

/** Words that name no tool. */
const ORDINARY = new Set(
  'same other following right appropriate matching corresponding previous next first second last new above below relevant'.split(
    ' ',
  ),
)

const hasWord = (names: ReadonlySet<string>, word: string) =>
  ORDINARY.has(word) || [...names].some((name) => wordsOf(name).includes(word))

export function promotionIn(text: string): string | undefined {
  const found = firstMatch(PROMOTIONS, plain(text).replaceAll('\n', ' ').replace(/ +/g, ' '))
  return found === undefined ? undefined : shown(found)
}

const hasName = (names: ReadonlySet<string>, name: string) =>
  [...names].some((one) => one.toLowerCase() === name)

function firstMatch(patterns: readonly RegExp[], text: string): string | undefined {
  for (const pattern of patterns) {
    const [found] = pattern.exec(text) ?? []
    if (found !== undefined) return found
  }
  return undefined
}

const shown = (text: string) => quoted(printable(text, 120))
