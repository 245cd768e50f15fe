/**
 * Skills: folders of instructions for agents, served as resources.
 *
 * @see https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx
 */
import type { JsonValue } from './json.ts'

export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills'

/** The file that every skill has at its root. */
export const SKILL_FILE = 'SKILL.md'

/** The `mimeType` of a folder. */
export const DIRECTORY_TYPE = 'inode/directory'

/** What every host accepts, `SKILL.md` included. @see the section "Limits" of the specification */
export const MAX_SKILL_FILES = 512
export const MAX_SKILL_BYTES = 16 * 1024 * 1024

/** The YAML frontmatter of `SKILL.md` as JSON. @see https://agentskills.io/specification#frontmatter */
export interface SkillFrontmatter {
  /** At most 64 lower-case letters, digits and single hyphens: the name of the folder. */
  readonly name: string
  /** What the skill does and when to use it, at most 1,024 characters. */
  readonly description: string
  readonly [field: string]: JsonValue
}

export interface SkillResource {
  readonly uri: string
  /** `sha256:` and 64 lower-case hexadecimal digits, of the bytes of the file. */
  readonly digest: string
  /** In bytes. */
  readonly size: number
}

/** An item of `skills/list`. */
export interface SkillEntry {
  /** That of `SKILL.md`. */
  readonly uri: string
  readonly frontmatter: SkillFrontmatter
  /** Every file; `dynamic` where contents are generated for each read. */
  readonly resources: readonly SkillResource[] | 'dynamic'
}
