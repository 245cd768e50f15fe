/** Writes skills as a module of the Worker. */
import type { BundledSkill } from './read-skills.ts'

export function moduleText(skills: readonly BundledSkill[]): string {
  return `// Written by \`edgeway skills\`. Change the files of the skills instead.
import type { Skill } from 'edgeway/skills'

export const skills: readonly Skill[] = ${JSON.stringify(skills, undefined, 2)}
`
}
