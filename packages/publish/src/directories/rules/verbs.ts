/** The verb in the name of a tool, such as `delete` in `delete_note`, `deleteNote` and `notes.delete`. */

export type VerbKind = 'deletes' | 'removes' | 'reads' | 'writes' | 'publishes'

const VERBS: Readonly<Record<VerbKind, readonly string[]>> = {
  /** What cannot be undone. */
  deletes: ['delete', 'destroy', 'erase', 'purge', 'wipe', 'truncate', 'revoke'],
  /** May be undone: a label, a member, an item of a cart. */
  removes: ['remove', 'drop', 'clear', 'reset', 'uninstall'],
  reads: ['get', 'list', 'search', 'find', 'read', 'fetch', 'lookup', 'count', 'view', 'describe'],
  writes: ['create', 'update', 'insert', 'upsert', 'edit', 'rename', 'write', 'save', 'upload'],
  publishes: ['send', 'publish', 'post', 'tweet', 'email'],
}

/** These are as often nouns as verbs, so they count only at the beginning of a name. */
const NOUNS = ['list', 'view', 'count', 'post', 'email', 'update', 'edit', 'read', 'find', 'reset']

/** A name with one of them does not do what its verb says, such as `preview_delete`. */
const QUALIFIERS = [
  'preview',
  'dry',
  'simulate',
  'plan',
  'estimate',
  'validate',
  'check',
  'can',
  'test',
  'draft',
  'undo',
  'undelete',
  'restore',
]

/** They say of how many, before or after the verb. */
const SEVERAL = ['bulk', 'batch', 'mass', 'multi', 'all', 'many', 'multiple']

/** Whether a tool of these words shows, checks or undoes what its verb says. */
export const isQualified = (words: readonly string[]): boolean =>
  words.some((word) => QUALIFIERS.includes(word))

const kindOf = (word: string) =>
  (Object.keys(VERBS) as VerbKind[]).find((kind) => VERBS[kind].includes(word))

/** `deleteNote` and `notes.delete_all` as words in lower case. */
export function wordsOf(name: string): readonly string[] {
  return name
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
}

export interface Verb {
  readonly word: string
  readonly kind: VerbKind
}

/** Undefined where the name has no known verb, or verbs of two kinds, such as `find_or_create_user`. */
export function verbOf(name: string): Verb | undefined {
  const words = wordsOf(name)
  if (isQualified(words)) return undefined
  const start = words.findIndex((word) => !SEVERAL.includes(word))
  const first = words[start] ?? ''
  const last = words.findLast((word) => !SEVERAL.includes(word) && !/^v?\d+$/.test(word)) ?? ''
  const word = kindOf(first) === undefined && !NOUNS.includes(last) ? last : first
  const kind = kindOf(word)
  if (kind === undefined) return undefined
  // `email_search` and `list_delete` begin with a noun, or with a verb.
  const lastKind = NOUNS.includes(last) ? undefined : kindOf(last)
  if (NOUNS.includes(first) && lastKind !== undefined && lastKind !== kind) return undefined
  const joined = words.findIndex((one) => one === 'or' || one === 'and')
  if (joined === -1) return { word, kind }
  // What `search_and_replace` does besides is not known, and "notes_and_tasks" is no verb.
  if (kind === 'reads' && kindOf(words[joined + 1] ?? '') !== 'reads') return undefined
  const others = words.slice(joined).map(kindOf)
  return others.some((other) => other !== undefined && other !== kind) ? undefined : { word, kind }
}
