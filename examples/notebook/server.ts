/** The MCP server: registers the tools, resources and prompts. */
import { events } from '../../packages/events/src/index.ts'
import { changes } from '../../src/features/changes/index.ts'
import { files } from '../../src/features/files/index.ts'
import { type ContextOf, createServer } from '../../src/index.ts'
import type { Env } from './env.ts'
import { noteChanged } from './note-changes.ts'
import { registerRecall, registerWeeklyReview } from './prompts.ts'
import { registerResources } from './resources.ts'
import {
  registerAppendToNote,
  registerDeleteNote,
  registerRestoreNote,
  registerTagNote,
  registerWriteNote,
} from './tools/change-notes.ts'
import { registerImportNotes } from './tools/import-notes.ts'
import {
  registerExportNotes,
  registerListNotes,
  registerReadNote,
  registerSearchNotes,
} from './tools/read-notes.ts'

export const server = createServer.for<Env>()({
  name: 'notebook',
  version: '1.0.0',
  title: 'Notebook',
  description: 'Notes in Markdown that stay from one conversation to the next',
  uses: [files(), events({ types: [noteChanged] }), changes()],
  instructions:
    "The user's own notebook, kept from one conversation to the next. Search it when the user refers to something noted earlier. Write to it when the user asks for something to be remembered, and say which note it went into. Prefer adding to a fitting note over starting a new one, and read a note before replacing it.",
})

export type NotebookServer = typeof server
export type NotebookContext = ContextOf<NotebookServer>

registerSearchNotes(server)
registerReadNote(server)
registerListNotes(server)
registerWriteNote(server)
registerAppendToNote(server)
registerTagNote(server)
registerDeleteNote(server)
registerRestoreNote(server)
registerImportNotes(server)
registerExportNotes(server)
registerResources(server)
registerWeeklyReview(server)
registerRecall(server)
