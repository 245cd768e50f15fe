/** The view of `read_note`. */
import { connectView } from 'edgeway/view'
import type { Tools } from '../../views.types.ts'
import { find, showNote } from './show-note.ts'

connectView<Tools, 'read_note'>({ name: 'note' }).watch(({ tool, error }) => {
  if ('result' in tool) showNote(tool.result)
  if (tool.status === 'failed') find('h1').textContent = 'Not found'
  if (tool.status === 'cancelled') find('h1').textContent = 'Cancelled'
  if (error !== undefined) find('h1').textContent = error.message
})
