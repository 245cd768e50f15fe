/** Types of the module that `scripts/docs-content.ts` writes. */
import type { Skill } from '../../src/features/skills/index.ts'
import type { Page } from './page.ts'

export const PAGES: readonly Page[]
/** The search index as JSON. */
export const INDEX: string
export const SKILLS: readonly Skill[]
