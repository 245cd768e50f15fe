/** `skill()`: instructions for agents with their files, for `registerSkill`. */
import type { GrantProps } from '../../protocol/auth-info.ts'
import { DEFINE_SKILL, type Skill, type SkillOptions, type SkillValue } from '../../server/skill.ts'
import { defineSkill } from './define-skill.ts'

/**
 * `server.registerSkill(skill({ path, frontmatter, instructions }))`. The app needs `skills()`.
 *
 * @throws {TypeError} from `registerSkill`, for a malformed skill
 */
export function skill<Env = unknown, Props = GrantProps>(
  source: Skill<Env, Props>,
  options: SkillOptions<Props> = {},
): SkillValue<Env, Props> {
  return {
    [DEFINE_SKILL]: () =>
      defineSkill(source as Skill<never, never>, options as SkillOptions<never>),
  }
}
