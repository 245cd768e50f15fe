/** Converts the notebook's faults to tool errors with messages that a model can act on. */
import { ToolError } from '../../../src/index.ts'
import { LIMITS } from '../note.ts'
import type { Fault, Outcome } from '../outcome.ts'

/** Returns the value of an outcome. @throws {ToolError} for a fault */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new ToolError(faultText(outcome.error))
  return outcome.value
}

export function faultText(fault: Fault): string {
  switch (fault.code) {
    case 'not-found': {
      const near = fault.similar.map((id) => `"${id}"`).join(', ')
      return near === ''
        ? `There is no note "${fault.id}". Look for it with search_notes or list_notes.`
        : `There is no note "${fault.id}". Similar ids: ${near}.`
    }
    case 'not-in-bin':
      return `The bin holds no note "${fault.id}". list_notes with place "bin" shows what it holds.`
    case 'title-taken':
      return `Note "${fault.id}" already has the title "${fault.title}". Pass id "${fault.id}" to replace it, use append_to_note to add to it, or choose another title.`
    case 'stale-revision':
      return `Note "${fault.id}" has changed: it is at revision ${fault.revision} now. Read it again, and write it with expectedRevision ${fault.revision} if your change still fits.`
    case 'changed-meanwhile':
      return `Note "${fault.id}" was changed while the user was being asked about it, so nothing was done. Read it again, and try again if that is still what the user wants.`
    case 'bad-id':
      return `"${fault.id}" cannot be an id: use letters, digits, "-", "_" and ".", starting with a letter or digit, at most ${LIMITS.idCharacters} characters. Leave id out to have one made from the title.`
    case 'bad-title':
      return `The title must have between 1 and ${LIMITS.titleCharacters} characters.`
    case 'bad-tag':
      return `"${fault.tag}" cannot be a tag: use letters and digits, with "-", "_", "." and "/" inside, at most ${LIMITS.tagCharacters} characters.`
    case 'too-many-tags':
      return `That makes ${fault.count} tags; at most ${LIMITS.tags} are possible.`
    case 'body-too-long':
      return `The body would have ${fault.bytes} bytes; at most ${LIMITS.bodyBytes} are possible. Split it into several notes.`
    case 'notebook-full':
      return `The notebook is full: it holds ${LIMITS.notes} notes. Delete or merge some first.`
    case 'nothing-to-search':
      return 'The query holds no word to search for. Use at least one letter, digit or emoji, or list_notes to browse.'
  }
}
