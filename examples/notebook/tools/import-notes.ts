/** `import_notes`: imports many notes with progress, after asking for what the call leaves open: a document and the choices. */
import * as z from 'zod'
import { ToolError } from '../../../src/index.ts'
import { notebookOf } from '../env.ts'
import { LIMITS, NotebookError, splitMarkdown } from '../note.ts'
import { type NoteChange, notifyListeners } from '../note-changes.ts'
import type { Duplicates, ImportDraft, ImportResult } from '../object/notes.ts'
import { normalizeTags } from '../object/text.ts'
import type { NotebookContext, NotebookServer } from '../server.ts'
import { faultText, tags, title } from './fields.ts'

/** Notes per call to the object. Small batches let other calls run in between and report progress. */
const BATCH_NOTES = 20

const MAX_DOCUMENT_CHARACTERS = 3 * 1024 * 1024

const MAX_UPLOAD_BYTES = MAX_DOCUMENT_CHARACTERS

/** How long an uploaded document is stored, in milliseconds. */
const UPLOAD_TTL_MS = 60 * 60 * 1000

const inputSchema = z.object({
  notes: z
    .array(
      z.object({
        title,
        body: z.string().max(LIMITS.bodyBytes).describe('Markdown, without the title'),
        tags: tags.optional(),
      }),
    )
    .max(LIMITS.importedNotes)
    .default([])
    .describe('Notes to import'),
  markdown: z
    .string()
    .max(MAX_DOCUMENT_CHARACTERS)
    .default('')
    .describe('Or a Markdown document: every "# " heading begins a note and is its title'),
  tags: tags
    .optional()
    .describe('Tags to put on every imported note. Left out, the user is asked where possible'),
  duplicates: z
    .enum(['skip', 'replace', 'copy'])
    .optional()
    .describe(
      'When a note of that title exists: leave it, replace its text, or add a numbered copy. Left out, the user is asked where possible; otherwise "skip"',
    ),
})

export function registerImportNotes(server: NotebookServer): void {
  server.registerTool(
    'import_notes',
    {
      title: 'Import notes',
      description: `Imports up to ${LIMITS.importedNotes} notes, given one by one or as a Markdown document. Without either, the user is asked to upload a document where possible. A note that cannot be imported is reported and does not stop the others; running the same import again with duplicates "skip" adds nothing twice.`,
      inputSchema,
      outputSchema: z.object({
        created: z.array(z.string()).describe('Ids'),
        replaced: z.array(z.string()).describe('Ids'),
        skipped: z.array(z.string()).describe('Ids of notes that were there, and were left'),
        refused: z.array(z.object({ title: z.string(), reason: z.string() })),
      }),
      scopes: ['write'],
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: false,
      },
      // Without this, answers that are sent twice would create every copy twice.
      singleUse: true,
    },
    async (input, ctx) => {
      const { notes, markdown } = input
      const isEmpty = notes.length === 0 && markdown === ''
      const document = isEmpty ? await askForDocument(ctx) : markdown
      if (document === undefined) return nothing('the user uploaded no document.')
      const drafts = draftsOf(notes, document)
      const choices = await completeChoices(ctx, drafts, {
        duplicates: input.duplicates,
        tags: input.tags,
      })
      if (choices === undefined) {
        return nothing(
          'the user closed the question. Pass duplicates and tags to import without one.',
        )
      }
      // No step is needed: after the last question the handler does not run again.
      const notebook = notebookOf(ctx)
      const results: ImportResult[] = []
      for (let at = 0; at < drafts.length && !ctx.signal.aborted; at += BATCH_NOTES) {
        const batch = drafts.slice(at, at + BATCH_NOTES).map((draft) => tagged(draft, choices.tags))
        results.push(...(await notebook.import(batch, choices.duplicates)))
        await ctx.progress(results.length, drafts.length, `${results.length} notes`)
      }
      const idsOf = (...effects: readonly ImportResult['effect'][]) =>
        results.flatMap((result) =>
          result.effect !== 'refused' && effects.includes(result.effect) ? [result.id] : [],
        )
      const changed = changesOf(results, 'replaced', 'changed')
      // The list change covers the new notes. One notification per new note would be a burst of hundreds.
      const created = changesOf(results, 'created', 'created')
      if (changed.length + created.length > 0) {
        notifyListeners(ctx, { notes: changed, listed: created, tags: true })
      }
      return {
        created: idsOf('created'),
        replaced: idsOf('replaced'),
        skipped: idsOf('skipped', 'unchanged'),
        refused: results.flatMap((result, index) =>
          result.effect === 'refused'
            ? [
                {
                  title: drafts[index]?.title.slice(0, LIMITS.titleCharacters) ?? '',
                  reason: faultText(result.fault),
                },
              ]
            : [],
        ),
      }
    },
  )
}

/** The notes on which the import had an effect. */
function changesOf(
  results: readonly ImportResult[],
  effect: ImportResult['effect'],
  action: NoteChange['action'],
): NoteChange[] {
  return results.flatMap((result) =>
    result.effect !== 'refused' && result.effect === effect
      ? [{ id: result.id, title: result.title, action }]
      : [],
  )
}

function nothing(reason: string) {
  return {
    content: [{ type: 'text' as const, text: `Nothing was imported: ${reason}` }],
    structuredContent: { created: [], replaced: [], skipped: [], refused: [] },
  }
}

/** Returns the document that the user uploads, empty if the client cannot open URLs; undefined without one. */
async function askForDocument(ctx: NotebookContext): Promise<string | undefined> {
  if (!ctx.client.can('elicit-url')) return ''
  const { file } = await ctx.upload({
    key: 'document',
    message: 'Upload the Markdown document to import. Every "# " heading begins a note.',
    maxBytes: MAX_UPLOAD_BYTES,
    // Many systems do not know the type of Markdown.
    mimeTypes: ['text/*', 'application/octet-stream'],
    ttlMs: UPLOAD_TTL_MS,
  })
  return file?.text()
}

function tagged(draft: ImportDraft, common: readonly string[]): ImportDraft {
  return common.length === 0 ? draft : { ...draft, tags: [...(draft.tags ?? []), ...common] }
}

/** @throws {ToolError} when there is nothing, or too much, to import */
function draftsOf(notes: readonly ImportDraft[], markdown: string): ImportDraft[] {
  const drafts: ImportDraft[] = [...notes, ...splitMarkdown(markdown)]
  if (drafts.length === 0) {
    throw new ToolError('There is nothing to import: pass notes, or markdown with "# " headings.')
  }
  if (drafts.length > LIMITS.importedNotes) {
    throw new ToolError(
      `That is ${drafts.length} notes; at most ${LIMITS.importedNotes} can be imported at once.`,
    )
  }
  return drafts
}

/** The user is asked for the choices that the call leaves open. */
interface ImportChoices {
  readonly duplicates: Duplicates
  /** Added to every imported note, in addition to the note's own tags. */
  readonly tags: readonly string[]
}

/** Used when the client cannot ask the user, and when the user declines a question. */
const DEFAULTS: ImportChoices = { duplicates: 'skip', tags: [] }

/** How many of the existing titles the question lists. */
const NAMED_TITLES = 3

const duplicatesForm = z.object({
  duplicates: z
    .union([
      z.literal('skip').meta({ title: 'Keep mine, leave the imported ones out' }),
      z.literal('replace').meta({ title: 'Replace mine' }),
      z.literal('copy').meta({ title: 'Keep both, the imported ones numbered' }),
    ])
    .default(DEFAULTS.duplicates)
    .meta({ title: 'Notes that are there already' }),
})

const tagsForm = z.object({
  tags: z
    .string()
    .max(LIMITS.tags * (LIMITS.tagCharacters + 2))
    .default('')
    .meta({
      title: 'Tags',
      description: `With commas between them, such as: recipes, work/hiring. Letters and digits, with - _ . and / inside; at most ${LIMITS.tags}.`,
    })
    .transform((text) => text.split(',').filter((tag) => tag.trim() !== ''))
    // An invalid answer makes the question be asked again.
    .refine(areTags),
})

/**
 * Asks the user for the choices that the call leaves open. Both questions are sent together. A declined
 * question selects the default.
 *
 * @returns undefined when the user cancelled a question; the import must then not run
 */
async function completeChoices(
  ctx: NotebookContext,
  drafts: readonly ImportDraft[],
  { duplicates, tags }: { readonly [K in keyof ImportChoices]: ImportChoices[K] | undefined },
): Promise<ImportChoices | undefined> {
  if (!ctx.client.can('elicit')) {
    return { duplicates: duplicates ?? DEFAULTS.duplicates, tags: tags ?? DEFAULTS.tags }
  }
  const choices = await Promise.all([
    duplicates ?? askForDuplicates(ctx, drafts),
    tags ?? askForTags(ctx, drafts.length),
  ])
  const [selected, sharedTags] = choices
  return selected === undefined || sharedTags === undefined
    ? undefined
    : { duplicates: selected, tags: sharedTags }
}

/** Asks only if at least one of the titles already exists. */
async function askForDuplicates(
  ctx: NotebookContext,
  drafts: readonly ImportDraft[],
): Promise<Duplicates | undefined> {
  // A step queries the titles once. The other question waits for the step, so both are sent together.
  const { count, named } = await ctx.step('existing-titles', async () => {
    const existing = await notebookOf(ctx).existingTitles(drafts.map(({ title }) => title))
    return { count: existing.length, named: existing.slice(0, NAMED_TITLES) }
  })
  if (count === 0) return DEFAULTS.duplicates
  const titles = named.map((title) => `"${title}"`).join(', ')
  const more = count > named.length ? ' and others' : ''
  const { action, content } = await ctx.elicit({
    key: 'duplicates',
    message: `${count} of ${drafts.length} notes to import have a title that is in the notebook already: ${titles}${more}. What should become of them?`,
    schema: duplicatesForm,
  })
  return action === 'cancel' ? undefined : (content?.duplicates ?? DEFAULTS.duplicates)
}

async function askForTags(
  ctx: NotebookContext,
  count: number,
): Promise<readonly string[] | undefined> {
  const { action, content } = await ctx.elicit({
    key: 'tags',
    message: `Tags to put on ${count === 1 ? 'the imported note' : `all ${count} imported notes`}? Leave it empty for none.`,
    schema: tagsForm,
  })
  return action === 'cancel' ? undefined : (content?.tags ?? DEFAULTS.tags)
}

function areTags(tags: readonly string[]): boolean {
  try {
    return normalizeTags(tags).length <= LIMITS.tags
  } catch (error) {
    if (error instanceof NotebookError) return false
    throw error
  }
}
