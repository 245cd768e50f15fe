/** Shows a note. Its contents are inserted as text, never as HTML: notes come from models and from imported files. */
import type { ToolResult } from 'edgeway/view'
import type { Tools } from '../../views.types.ts'

export type NoteResult = ToolResult<Tools['read_note']['result']>

export const find = <Found extends HTMLElement = HTMLElement>(selector: string) =>
  document.querySelector(selector) as Found

/** A host may pass on what it likes. */
export const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
export const listOf = <Item>(value: readonly Item[] | undefined) =>
  Array.isArray(value) ? value : []

/** The text of a note is the last block: the first one is for the model. */
export function lastText({ content }: NoteResult): string {
  const last = content.at(-1)
  return last?.type === 'text' ? last.text : ''
}

export function showNote(result: NoteResult): void {
  const { title, tags } = (result.structuredContent ?? {}) as Partial<Tools['read_note']['result']>
  find('h1').textContent = textOf(title)
  find('#tags').textContent = listOf(tags).join(', ')
  find('#text').textContent = lastText(result)
}
