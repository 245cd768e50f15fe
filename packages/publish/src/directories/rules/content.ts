/** Rules of what tools do: some directories accept no tool that moves money or assets, and none that generates media. */
import type { Tool } from '../../../../../src/protocol/primitives.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import type { Rule } from '../finding.ts'
import { ofTools } from './of-tools.ts'
import { argumentsOf } from './schema-walk.ts'
import { isQualified, wordsOf } from './verbs.ts'

export const content: Rule = ofTools((tool, add) => {
  if (isQualified(wordsOf(tool.name))) return
  const moved = moneyMovedBy(tool)
  if (moved !== undefined) add('tool-moves-money', ...moved)
  const made = mediaMadeBy(tool)
  if (made !== undefined) add('tool-generates-media', ...made)
})

type Seen = readonly [seen: string, isDoubtful: boolean]

/** Verbs of a name, and the objects with which they mean it. */
type Deeds = readonly (readonly [verbs: ReadonlySet<string>, objects: ReadonlySet<string>])[]

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const COINS = 'crypto cryptocurrency bitcoin btc eth ether usdc usdt stablecoin stablecoins coins'

const MOVES: Deeds = [
  [
    words('transfer send wire remit withdraw deposit move disburse donate lend'),
    words(`money funds cash payment payments payout payouts balance tokens ${COINS}`),
  ],
  [
    words('create make initiate execute process submit issue schedule authorize capture'),
    words('payment payments payout payouts refund refunds charge remittance trade trades'),
  ],
  [
    words('pay'),
    words(
      'invoice invoices bill bills vendor supplier merchant employee salary rent fee debt loan',
    ),
  ],
  [
    words('buy sell trade swap exchange bridge stake unstake mint'),
    words(`stock stocks share shares asset assets securities bonds token tokens nft nfts ${COINS}`),
  ],
  [words('market limit stop buy sell stock crypto'), words('order orders')],
  [words('send sign submit broadcast'), words('transaction transactions')],
  [words('charge'), words('card customer')],
]

/** What follows an object that is the last one of the deed: `send_payment_reminder` sends a reminder. */
const PREPOSITIONS = words('to from for between via by with now on at in')

const ASSETS = `(?:money|funds|cash|payments?|payouts?|crypto(?:currency|currencies)?|bitcoins?|ether|stablecoins?|usdc)`
const NO_PAPER =
  '(?! (?:reminders?|requests?|links?|receipts?|confirmations?|notifications?|details?|status|history|reports?|instructions?|information|data|records?|methods?|entr(?:y|ies)|forms?))'

const SAYS_MOVED: readonly RegExp[] = [
  new RegExp(
    `\\b(?:transfers?|sends?|wires?|moves?|withdraws?|deposits?|remits?|disburses?) (?:[\\w-]+ ){0,3}?${ASSETS}\\b${NO_PAPER}`,
  ),
  new RegExp(
    `\\b(?:makes?|initiates?|executes?|process(?:es)?|issues?|submits?) (?:[\\w-]+ ){0,2}?(?:payments?|payouts?|trades?|(?:bank|wire|money) transfers?|financial transactions?)\\b${NO_PAPER}`,
  ),
  /\b(?:buys?|sells?|trades?|swaps?) (?:[\w-]+ ){0,2}?(?:stocks?|shares|securities|crypto(?:currency|currencies)?|bitcoin|tokens|nfts?)\b/,
  /\bpays? (?:an? |the |your |their )?(?:[\w-]+ )?(?:invoices?|bills?|vendors?|suppliers?|merchants?|salar(?:y|ies)|rent)\b/,
]

const AMOUNT =
  /(?:^| )(?:amount|sum|quantity|currency|recipient|payee|beneficiary|iban|wallet|shares|price)(?: |$)/

function moneyMovedBy(tool: Tool): Seen | undefined {
  const shown = quoted(tool.name)
  const named = deedIn(wordsOf(tool.name), MOVES)
  if (named !== undefined) return [`${shown} has the words ${quoted(named)}`, false]
  if (tool.annotations?.readOnlyHint === true) return undefined
  const said = saidIn(tool, SAYS_MOVED)
  if (said === undefined) return undefined
  const hasAmount = argumentsOf(tool.inputSchema).some(({ name }) =>
    AMOUNT.test(wordsOf(name).join(' ')),
  )
  return [`The description of ${shown} has ${quoted(said)}`, !hasAmount]
}

const MEDIA =
  'image images picture pictures photo photos illustration illustrations artwork art video videos audio music song songs speech voice voiceover'

const GENERATES: Deeds = [
  [words('generate draw paint imagine synthesize synthesise'), words(MEDIA)],
  [words('text'), words('image images video speech audio music voice')],
  [
    words('image picture photo video audio music speech voice'),
    words('generation generator synthesis'),
  ],
]

/** What other tools do too: a picture of data, or one that is stored or copied. */
const MAKES: Deeds = [[words('create make render produce edit'), words(MEDIA)]]

/** Directories accept pictures of data and of designs. */
const OF_DATA =
  /\b(?:diagrams?|charts?|graphs?|plots?|maps?|mock-?ups?|wireframes?|qr|barcodes?|screenshots?|thumbnails?|previews?|placeholders?|docker|container|disk|machine)\b/

const BY_MODEL =
  /\b(?:ai|dall-?e|gpt-image|midjourney|stable diffusion|diffusion|flux|imagen|sora|veo|generative|text[- ]to[- ](?:image|video|speech|audio|music)|(?:from|by|with) (?:a |the |your )?(?:text )?prompts?)\b/

const SAYS_GENERATED: readonly RegExp[] = [
  new RegExp(
    `\\b(?:generates?|creates?|draws?|paints?|synthesi[sz]es?|produces?|makes?|edits?) (?:[\\w-]+ ){0,4}?(?:${MEDIA.replaceAll(' ', '|')})\\b`,
  ),
  /\btext[- ]to[- ](?:image|video|speech|audio|music)\b/,
]

function mediaMadeBy(tool: Tool): Seen | undefined {
  const { name, description = '' } = tool
  const shown = quoted(name)
  const parts = wordsOf(name)
  const about = `${parts.join(' ')} ${description.slice(0, 5000).toLowerCase()}`
  if (OF_DATA.test(about)) return undefined
  const hasPrompt = argumentsOf(tool.inputSchema).some((one) =>
    /(?:^| )prompt$/.test(wordsOf(one.name).join(' ')),
  )
  const isByModel = hasPrompt || BY_MODEL.test(about)
  const named = deedIn(parts, GENERATES) ?? (isByModel ? deedIn(parts, MAKES) : undefined)
  if (named !== undefined) return [`${shown} has the words ${quoted(named)}`, false]
  const said = isByModel ? saidIn(tool, SAYS_GENERATED) : undefined
  return said === undefined
    ? undefined
    : [`The description of ${shown} has ${quoted(said)}`, !hasPrompt]
}

/** A verb and its object, where nothing but a preposition follows; undefined for other names. */
function deedIn(parts: readonly string[], deeds: Deeds): string | undefined {
  for (const [verbs, objects] of deeds) {
    for (const [at, verb] of parts.entries()) {
      if (!verbs.has(verb)) continue
      const near = parts.slice(at + 1, at + 4)
      const object = near.findIndex((word) => objects.has(word))
      const after = near[object + 1] ?? parts[at + object + 2]
      if (object === -1 || !(after === undefined || PREPOSITIONS.has(after))) continue
      return parts.slice(at, at + object + 2).join(' ')
    }
  }
  return undefined
}

/** What a description says that the tool does, and not that it does not. */
function saidIn({ description = '' }: Tool, patterns: readonly RegExp[]): string | undefined {
  const text = description.slice(0, 5000).toLowerCase().replace(/\s+/g, ' ')
  for (const sentence of text.split(/[.;!?] /)) {
    const found = patterns.map((pattern) => pattern.exec(sentence)).find((one) => one !== null)
    if (found && !DENIAL.test(sentence.slice(0, found.index))) return found[0]
  }
  return undefined
}

/** It says what the tool does not do, or what another one does. */
const DENIAL = /\b(?:never|not|no|without|cannot|can't|don't|doesn't|which|who|where|when)\b/
