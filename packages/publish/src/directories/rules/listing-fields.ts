/** What each form accepts in each field. */
import type { Implementation } from '../../../../../src/protocol/content.ts'
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import type { Detected } from '../finding.ts'
import { hiddenPartOf } from './hidden-text.ts'

/** A fault of the value at a member; undefined for a value that the form accepts. */
type Check = (value: unknown, member: string) => Detected | undefined

export interface Field {
  /** Paths of members. The first that is present is the value. */
  readonly members: readonly string[]
  /** The member of the definition that stands for an absent one. */
  readonly fromInfo?: keyof Implementation & ('title' | 'description' | 'version')
  readonly isRequired: boolean
  readonly check: Check
}

const invalid = (seen: string): Detected => ({ code: 'listing-field-invalid', seen })

interface TextLimits {
  readonly max: number
  readonly isOneLine?: boolean
  readonly pattern?: RegExp
}

/** A text is not blank, has nothing hidden, and keeps the limits. */
const text =
  ({ max, isOneLine = false, pattern }: TextLimits): Check =>
  (value, member) => {
    if (typeof value !== 'string' || value.trim() === '') {
      return invalid(`${member} is ${quoted(value)}`)
    }
    if (value.length > max) {
      const seen = `${member} has ${value.length} characters, and ${max} are accepted`
      return { code: 'listing-field-too-long', seen }
    }
    const hidden = hiddenPartOf(value)
    if (hidden !== undefined) return invalid(`${member} has ${hidden}`)
    if (isOneLine && /[\r\n]/.test(value)) return invalid(`${member} has more than one line`)
    return pattern === undefined || pattern.test(value)
      ? undefined
      : invalid(`${member} is ${quoted(value)}`)
  }

const MAX_URL = 1024

const httpsUrl: Check = (value, member) => {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    return invalid(`${member} is ${quoted(value)}, and an https URL is accepted`)
  }
  if (String(value).length <= MAX_URL) return undefined
  return { code: 'listing-field-too-long', seen: `${member} has more than ${MAX_URL} characters` }
}

/** Support may be a mail address. */
const contact: Check = (value, member) =>
  typeof value === 'string' && /^(?:mailto:)?[^\s@:/]+@[^\s@/]+\.[^\s@/]+$/.test(value)
    ? undefined
    : httpsUrl(value, member)

interface ListLimits {
  readonly min?: number
  readonly max: number
}

const list =
  ({ min = 0, max }: ListLimits, each: Check): Check =>
  (value, member) => {
    if (!Array.isArray(value)) return invalid(`${member} is ${quoted(value)}`)
    if (value.length < min || value.length > max) {
      const accepted = min === 0 ? `up to ${max}` : `${min} to ${max}`
      const seen = `${member} has ${value.length} entries, and ${accepted} are accepted`
      return { code: 'listing-too-many', seen }
    }
    for (const [index, one] of value.entries()) {
      const fault = each(one, `${member}[${index}]`)
      if (fault !== undefined) return fault
    }
    return undefined
  }

const oneOf =
  (values: readonly string[]): Check =>
  (value, member) =>
    values.some((known) => known === value)
      ? undefined
      : invalid(`${member} is ${quoted(value)}, and ${values.join(', ')} are accepted`)

const PROMPT = text({ max: 128, isOneLine: true, pattern: /^[^@]*$/ })

/** Different after Unicode and spaces are made the same. */
const prompts: Check = (value, member) => {
  const fault = list({ max: 3 }, PROMPT)(value, member)
  if (fault !== undefined) return fault
  const plain = (value as readonly string[]).map((one) =>
    one.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase(),
  )
  if (new Set(plain).size === plain.length) return undefined
  return { code: 'listing-prompt-repeated', seen: `${member} has ${quoted(value)}` }
}

const DARK = '#212121'

/** A colour, with enough contrast to its background. */
const color =
  (background: string): Check =>
  (value, member) => {
    if (typeof value !== 'string' || !/^#[0-9a-f]{6}$/i.test(value)) {
      return invalid(`${member} is ${quoted(value)}, and #RRGGBB is accepted`)
    }
    const contrast = contrastOf(value, background)
    if (contrast >= 2) return undefined
    const seen = `${member} is ${quoted(value)}, of ${contrast.toFixed(2)}:1 to ${background}`
    return { code: 'listing-contrast-low', seen }
  }

/** @see https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** @see https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminanceOf(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(hex.slice(start, start + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The categories of plugins, each by its name in the form of apps. */
export const FORM_CATEGORIES: Readonly<Record<string, string>> = {
  Productivity: 'PRODUCTIVITY',
  Creativity: 'DESIGN',
  'Developer Tools': 'DEVELOPER_TOOLS',
  'Business & Operations': 'BUSINESS',
  'Data & Analytics': 'BUSINESS',
  Communication: 'COLLABORATION',
  'Education & Research': 'EDUCATION',
  Security: 'DEVELOPER_TOOLS',
  Finance: 'FINANCE',
  Healthcare: 'LIFESTYLE',
  Travel: 'TRAVEL',
  Entertainment: 'ENTERTAINMENT',
  Other: 'PRODUCTIVITY',
}

const SEMVER =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/

const field = (members: string | readonly string[], check: Check): Field => ({
  members: typeof members === 'string' ? [members] : members,
  isRequired: false,
  check,
})
const required = (members: string | readonly string[], check: Check): Field => ({
  ...field(members, check),
  isRequired: true,
})

export const CLAUDE_FIELDS: readonly Field[] = [
  {
    ...required(['claude.name', 'title'], text({ max: 100, isOneLine: true })),
    fromInfo: 'title',
  },
  required(['claude.oneLiner'], text({ max: 200, isOneLine: true })),
  {
    ...required(['claude.description', 'description'], text({ max: 2000 })),
    fromInfo: 'description',
  },
  required('claude.categories', list({ min: 1, max: 5 }, text({ max: 100, isOneLine: true }))),
  field(
    ['claude.slug', 'name'],
    text({ max: 64, isOneLine: true, pattern: /^[a-z0-9]+(?:-[a-z0-9]+)*$/ }),
  ),
  required('documentation', httpsUrl),
  required('privacy', httpsUrl),
  required('support', contact),
  required('logo', text({ max: 1024 })),
]

export const OPENAI_FIELDS: readonly Field[] = [
  required('name', text({ max: 64, pattern: /^[A-Za-z0-9][A-Za-z0-9_-]*$/ })),
  {
    members: [],
    fromInfo: 'version',
    isRequired: false,
    check: text({ max: 64, pattern: SEMVER }),
  },
  { ...required('title', text({ max: 30, isOneLine: true })), fromInfo: 'title' },
  required('shortDescription', text({ max: 30, isOneLine: true })),
  { ...required('description', text({ max: 4000 })), fromInfo: 'description' },
  required('company.name', text({ max: 80, isOneLine: true })),
  required('openai.category', oneOf(Object.keys(FORM_CATEGORIES))),
  field('openai.capabilities', list({ max: 20 }, text({ max: 120, isOneLine: true }))),
  field('starterPrompts', prompts),
  required('website', httpsUrl),
  required('support', httpsUrl),
  required('privacy', httpsUrl),
  required('terms', httpsUrl),
  required('demoRecording', httpsUrl),
  required('releaseNotes', text({ max: 4000 })),
  required('logo', text({ max: 1024 })),
  field('brandColor', color('#FFFFFF')),
  field('brandColorDark', color(DARK)),
  field('openai.frameDomains', (value, member) =>
    isJsonObject(value) ? undefined : invalid(`${member} is ${quoted(value)}`),
  ),
]
