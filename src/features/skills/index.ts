/** `edgeway/skills`: the feature, its options and its types. */

export type {
  BundledSkillFile,
  Skill,
  SkillFile,
  SkillFileReader,
  SkillOptions,
  SkillValue,
} from '../../server/skill.ts'
export { skill } from './skill.ts'
export { type Skills, skills } from './skills.ts'
