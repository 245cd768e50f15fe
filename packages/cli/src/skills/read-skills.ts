/** Reads the skills of a folder: each folder in it that has a `SKILL.md`, at any depth. */
import { createHash } from 'node:crypto'
import { type Dirent, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { MAX_SKILL_BYTES, MAX_SKILL_FILES, SKILL_FILE } from '../../../../src/protocol/skills.ts'
import { type Frontmatter, PROTO, type Problem, readFrontmatter } from './skill-document.ts'

/** A file as the Worker contains it. */
export type BundledFile = { readonly digest: string; readonly size: number } & (
  | { readonly text: string }
  | { readonly base64: string }
)

export interface BundledSkill {
  readonly path: string
  readonly frontmatter: Frontmatter
  readonly files: Readonly<Record<string, BundledFile>>
}

export interface FileProblem extends Problem {
  /** The path as the command line gave its beginning. */
  readonly file: string
}

export interface ReadSkills {
  readonly skills: readonly BundledSkill[]
  readonly problems: readonly FileProblem[]
}

/** A segment of the path of a skill, which is a segment of a URI. */
const SEGMENT = /^[A-Za-z0-9._~-]+$/

/** @throws {Error} for a folder that cannot be read */
export function readSkills(folder: string): ReadSkills {
  const skills: BundledSkill[] = []
  const problems: FileProblem[] = []
  const walk = (directory: string, path: readonly string[]): void => {
    const entries = entriesOf(directory)
    if (entries.some((entry) => entry.name === SKILL_FILE)) {
      const read = readSkill(directory, path)
      problems.push(...read.problems)
      if (read.skill !== undefined) skills.push(read.skill)
    }
    for (const entry of entries) {
      if (entry.isDirectory()) walk(join(directory, entry.name), [...path, entry.name])
    }
  }
  const isSkill = entriesOf(folder).some(({ name }) => name === SKILL_FILE)
  walk(folder, isSkill ? [basename(resolve(folder))] : [])
  return { skills, problems }
}

interface ReadSkill {
  readonly skill?: BundledSkill
  readonly problems: readonly FileProblem[]
}

function readSkill(directory: string, path: readonly string[]): ReadSkill {
  const main = join(directory, SKILL_FILE)
  const problem = (line: number, message: string): ReadSkill => ({
    problems: [{ file: main, line, message }],
  })
  const wrong = path.find((segment) => !SEGMENT.test(segment))
  if (wrong !== undefined) {
    return problem(1, `the folder "${wrong}" is part of a URI: use A-Z a-z 0-9 . _ ~ - in its name`)
  }
  const found: Record<string, BundledFile> = {}
  const files = filesOf(directory)
  if (files.includes(PROTO)) return problem(1, `the skill has a file ${PROTO}: rename it`)
  for (const file of files) {
    const bytes = readFileSync(join(directory, file))
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
    const text = textOf(bytes)
    const content = text === undefined ? { base64: bytes.toString('base64') } : { text }
    found[file] = { ...content, digest, size: bytes.byteLength }
  }
  const { [SKILL_FILE]: whole, ...others } = found
  if (whole === undefined || !('text' in whole)) return problem(1, 'is not UTF-8 text')
  const names = Object.keys(found)
  if (names.length > MAX_SKILL_FILES) {
    return problem(1, `the skill has ${names.length} files; hosts accept ${MAX_SKILL_FILES}`)
  }
  const size = Object.values(found).reduce((sum, file) => sum + file.size, 0)
  if (size > MAX_SKILL_BYTES) {
    return problem(1, `the skill has ${size} bytes; hosts accept ${MAX_SKILL_BYTES}`)
  }
  const read = readFrontmatter(whole.text, path.at(-1) as string)
  if ('problems' in read) {
    return { problems: read.problems.map((one) => ({ file: main, ...one })) }
  }
  const bundled = { [SKILL_FILE]: whole, ...others }
  const skill = { path: path.join('/'), frontmatter: read.frontmatter, files: bundled }
  return { skill, problems: [] }
}

/** The files of a skill. Those of a skill within it are that skill's. */
function filesOf(directory: string, within = ''): readonly string[] {
  const entries = entriesOf(join(directory, within))
  const isOtherSkill = within !== '' && entries.some(({ name }) => name === SKILL_FILE)
  if (isOtherSkill) return []
  return entries.flatMap((entry) => {
    const path = within === '' ? entry.name : `${within}/${entry.name}`
    return entry.isDirectory() ? filesOf(directory, path) : [path]
  })
}

/** Without hidden files, which editors and systems leave, in an order that is the same everywhere. */
function entriesOf(directory: string): readonly Dirent[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith('.') && (entry.isFile() || entry.isDirectory()))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The text of a file; undefined for one that is not UTF-8, or that has a NUL character. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    // Not UTF-8.
    return undefined
  }
}
