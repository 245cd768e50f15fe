/** Names: of notes in URIs, of titles for comparison, of tags. */
import { LIMITS } from '../note.ts'
import { NotebookError } from '../outcome.ts'
import { cleanText } from './segment.ts'

const NOT_SLUG = /[^\p{L}\p{N}\p{M}]+/gu
/** Leaves room for a number behind it within the limit of an id. */
const SLUG_CHARACTERS = 60
const ID = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}\-_.]*$/u
const TAG = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}\-_/.]*$/u

/** An id made of a title, in any script; `note` where it holds no letter and no digit. */
export function slugOf(title: string): string {
  const words = title.normalize('NFKC').toLowerCase().replace(NOT_SLUG, '-').replace(/^-/, '')
  const slug = cutText(words, SLUG_CHARACTERS).replace(/-$/, '')
  return ID.test(slug) ? slug : 'note'
}

/** @throws {NotebookError} bad-id */
export function checkId(id: string): string {
  if (!ID.test(id) || id.length > LIMITS.idCharacters)
    throw new NotebookError({ code: 'bad-id', id })
  return id
}

/**
 * The title on one line.
 *
 * @throws {NotebookError} bad-title for one that is blank or too long
 */
export function checkTitle(title: string): string {
  const line = cleanText(title).replace(/\s+/gu, ' ').trim()
  if (line === '' || line.length > LIMITS.titleCharacters) {
    throw new NotebookError({ code: 'bad-title' })
  }
  return line
}

/** Titles with the same key are the same to a reader. */
export function titleKeyOf(title: string): string {
  return title.normalize('NFKC').toLowerCase()
}

/**
 * Tags as they are kept: lower case, without a leading `#`, spaces made hyphens, sorted, each once.
 *
 * @throws {NotebookError} bad-tag, too-many-tags
 */
export function normalizeTags(tags: readonly string[]): string[] {
  const kept = new Set(tags.map(normalizeTag))
  if (kept.size > LIMITS.tags) throw new NotebookError({ code: 'too-many-tags', count: kept.size })
  return [...kept].sort()
}

function normalizeTag(written: string): string {
  const tag = written.normalize('NFC').trim().replace(/^#/, '').replace(/\s+/gu, '-').toLowerCase()
  if (!TAG.test(tag) || tag.length > LIMITS.tagCharacters) {
    throw new NotebookError({ code: 'bad-tag', tag: written.slice(0, LIMITS.tagCharacters) })
  }
  return tag
}

/** `name`, or the first of `name 2`, `name 3`… (as `numbered` writes them) that is not taken. */
export function firstFree(
  name: string,
  numbered: (count: number) => string,
  isTaken: (name: string) => boolean,
): string {
  let free = name
  for (let count = 2; isTaken(free); count++) free = numbered(count)
  return free
}

/** The beginning of a text, never with half of a character at its end. */
export function cutText(text: string, characters: number): string {
  return text.slice(0, characters).replace(/[\ud800-\udbff]$/, '')
}
