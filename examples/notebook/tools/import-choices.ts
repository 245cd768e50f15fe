/** The choices of an import. The user is asked for those that the call leaves open. */

import * as z from 'zod'
import { notebookOf } from '../env.ts'
import { LIMITS } from '../note.ts'
import type { Duplicates, ImportDraft } from '../object/import.ts'
import { normalizeTags } from '../object/names.ts'
import { NotebookError } from '../outcome.ts'
import type { NotebookContext } from '../server.ts'

export interface ImportChoices {
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
export async function completeChoices(
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
