/** What an import has to know from a person where the call does not say: asked together. */
import * as z from 'zod'
import type { Context } from '../../../src/index.ts'
import { type Env, notebookOf } from '../env.ts'
import { LIMITS } from '../note.ts'
import type { Duplicates, ImportDraft } from '../object/import.ts'
import { normalizeTags } from '../object/names.ts'
import { NotebookError } from '../outcome.ts'

export interface ImportChoices {
  readonly duplicates: Duplicates
  /** For every imported note, beside its own. */
  readonly tags: readonly string[]
}

/** What holds where nobody is asked, and where a person leaves it to us. */
const DEFAULTS: ImportChoices = { duplicates: 'skip', tags: [] }

/** Titles that a question names, of those that are taken. */
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
    // An answer that does not fit is asked for again.
    .refine(areTags),
})

/**
 * The choices that a call makes, completed by the person's. A declined question leaves the default.
 *
 * @returns undefined where the person closed a question, so that nothing is to be imported
 */
export async function completeChoices(
  ctx: Context<Env>,
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
  const [chosen, common] = choices
  return chosen === undefined || common === undefined
    ? undefined
    : { duplicates: chosen, tags: common }
}

/** Asks only where a title is taken. */
async function askForDuplicates(
  ctx: Context<Env>,
  drafts: readonly ImportDraft[],
): Promise<Duplicates | undefined> {
  // A step: the other question waits for it, so that both go out together, and it is looked up once.
  const { count, named } = await ctx.step('taken', async () => {
    const taken = await notebookOf(ctx).taken(drafts.map(({ title }) => title))
    return { count: taken.length, named: taken.slice(0, NAMED_TITLES) }
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
  ctx: Context<Env>,
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
