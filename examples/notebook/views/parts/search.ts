/** The view of `search_notes`: the notes that match, each of which it opens with a call of `read_note`. */
import { connectView } from 'edgeway/view'
import type { Tools } from '../../views.types.ts'
import { find, lastText, listOf, type NoteResult, showNote, textOf } from './show-note.ts'

type Found = Tools['search_notes']['result']
type Hit = Found['results'][number]

const status = find('#status')
const results = find('#results')
const note = find('#note')
const view = connectView<Tools, 'search_notes'>({ name: 'search' })

let shown: object | undefined
let summary = ''
let opener: HTMLElement | undefined

view.watch(({ tool, error }) => {
  if (error !== undefined) status.textContent = error.message
  // The theme changes as well.
  if (tool === shown) return
  shown = tool
  if (tool.status === 'writing') showQuery(tool.partial.query)
  if (tool.status === 'running') showQuery(tool.arguments.query)
  if (tool.status === 'cancelled') status.textContent = 'Cancelled'
  if (tool.status === 'done') showHits(tool.result.structuredContent ?? {})
  if (tool.status === 'failed') {
    showHits({})
    status.textContent = lastText(tool.result)
  }
})

function showQuery(query: string | undefined): void {
  status.textContent = query ? `Searching for “${query}”…` : '…'
}

function showHits({ results: list, total = 0 }: Partial<Found>): void {
  const hits = listOf(list).filter((hit) => typeof hit === 'object' && hit !== null)
  showResults()
  results.replaceChildren(...hits.map(createItem))
  if (hits.length === 0) summary = 'No note matches.'
  else if (hits.length < total) summary = `${hits.length} of ${total} notes`
  else summary = hits.length === 1 ? '1 note' : `${hits.length} notes`
  status.textContent = summary
}

function showResults(): void {
  note.hidden = true
  results.hidden = false
}

function createItem({ id, title, tags, snippet }: Hit): HTMLElement {
  const item = document.createElement('li')
  const button = createElement('button', textOf(title))
  button.type = 'button'
  button.addEventListener('click', () => openNote(id, button))
  const labels = createElement('p', listOf(tags).join(', '))
  labels.className = 'quiet'
  item.append(button, labels, createElement('p', textOf(snippet)))
  return item
}

const createElement = <Name extends 'button' | 'p'>(name: Name, textContent: string) =>
  Object.assign(document.createElement(name), { textContent })

async function openNote(id: string, button: HTMLElement): Promise<void> {
  opener = button
  status.textContent = 'Opening…'
  const result = await readNote(id)
  // Another note was opened, or another search was made, in the meantime.
  if (opener !== button || !button.isConnected) return
  if (result.isError) {
    status.textContent = lastText(result)
    return
  }
  status.textContent = result.structuredContent?.nextStart ? 'The beginning of a long note' : ''
  showNote(result)
  results.hidden = true
  note.hidden = false
  find('h1').focus()
}

async function readNote(id: string): Promise<NoteResult> {
  try {
    return await view.callTool('read_note', { id })
  } catch (error) {
    const text = `The note cannot be opened: ${(error as Error).message}`
    return { isError: true, content: [{ type: 'text', text }] }
  }
}

find('#back').addEventListener('click', () => {
  showResults()
  status.textContent = summary
  opener?.focus()
})
