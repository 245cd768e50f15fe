/** Writes skills as a module of the Worker. */
import type { BundledSkill } from './read-skills.ts'

const FIRST_LINE = '// Written by `edgeway skills`. Change the files of the skills instead.\n'

/** Whether a text is a module of an earlier run. An empty file has nothing to lose. */
export const isModuleText = (text: string): boolean => text === '' || text.startsWith(FIRST_LINE)

export function moduleText(skills: readonly BundledSkill[]): string {
  return `${FIRST_LINE}import type { Skill } from 'edgeway/skills'

export const skills: readonly Skill[] = ${JSON.stringify(skills, undefined, 2)}
`
}
