/**
 * Checks and compiles the registration of a skill: one resource for each of its files.
 *
 * Reading, scopes, visibility and caching are those of resources. Only `SKILL.md` is in `resources/list`. The runtime
 * writes the frontmatter as JSON, which YAML contains, and never reads YAML: `edgeway skills` does.
 */
import { sha256 } from '../../platform/digest.ts'
import { isJsonObject, jsonText } from '../../protocol/json.ts'
import { frontmatterProblem, frontmatterText } from '../../protocol/skill-frontmatter.ts'
import {
  MAX_SKILL_BYTES,
  MAX_SKILL_FILES,
  SKILL_FILE,
  type SkillFrontmatter,
} from '../../protocol/skills.ts'
import { accessOf, cacheHints, checkConfig } from '../../server/define/checks.ts'
import type {
  Definition,
  FileIdentity,
  ResourceDefinition,
  SkillFileDefinition,
} from '../../server/definition.ts'
import { mediaTypeOf } from '../../server/media-type.ts'
import type {
  BundledSkillFile,
  DefinedSkill,
  Skill,
  SkillFile,
  SkillFileReader,
  SkillOptions,
} from '../../server/skill.ts'

const SCHEME = 'skill://'

/** A segment of the path of a skill: unreserved characters of URIs, and not `.` or `..`. */
const PATH_SEGMENT = /^(?!\.\.?$)[A-Za-z0-9._~-]+$/
/** A segment of the path of a file. A separator of another system and control characters are mistakes. */
const NOT_IN_FILE_NAME = /[\\\p{Cc}]/u

/** @throws {TypeError} that names the skill and the fault */
export function defineSkill(
  skill: Skill<never, never>,
  options: SkillOptions<never> = {},
): DefinedSkill {
  if (!isJsonObject(skill)) throw new TypeError('A skill needs { path, frontmatter, instructions }')
  const { path } = skill
  if (typeof path !== 'string' || !path.split('/').every((segment) => PATH_SEGMENT.test(segment))) {
    throw new TypeError(
      `Skill path ${JSON.stringify(path)}: use segments of A-Z a-z 0-9 . _ ~ - with / between them`,
    )
  }
  const subject = `Skill "${path}"`
  checkConfig(subject, options, () => undefined)
  const frontmatter = frontmatterOf(subject, skill)
  const contents = contentsOf(subject, skill, frontmatter)
  checkPaths(subject, [...contents.keys()])
  const shared = { cache: cacheHints(subject, options), ...accessOf(options) }
  const root = SCHEME + path
  const files: SkillFileDefinition[] = []
  const resources: ResourceDefinition[] = []
  for (const [file, content] of contents) {
    const uri = `${root}/${file.split('/').map(encodeSegment).join('/')}`
    const { identity, isText, read } = compileFile(subject, file, content)
    const isMain = file === SKILL_FILE
    const info = {
      uri,
      name: isMain ? frontmatter.name : file.slice(file.lastIndexOf('/') + 1),
      ...(isMain ? { description: frontmatter.description } : undefined),
      mimeType: mediaTypeOf(file, isText),
      ...(identity === undefined ? undefined : { size: identity.size }),
    }
    files.push({ uri, identity })
    resources.push({ info, ...shared, isListed: isMain, read })
  }
  checkLimits(subject, files)
  return { skill: { root, uri: `${root}/${SKILL_FILE}`, frontmatter, files }, resources }
}

/** As clients read it: as JSON, with the name that the path gives it. */
function frontmatterOf(
  subject: string,
  { path, frontmatter }: Skill<never, never>,
): SkillFrontmatter {
  if (!isJsonObject(frontmatter)) throw new TypeError(`${subject}: frontmatter must be an object`)
  const folder = path.slice(path.lastIndexOf('/') + 1)
  const text = jsonOf(subject, { name: folder, ...frontmatter })
  const fields = JSON.parse(text)
  const problem = frontmatterProblem(fields, folder)
  if (problem !== undefined) {
    throw new TypeError(`${subject}: ${problem.field} ${problem.message}`)
  }
  return fields
}

function jsonOf(subject: string, fields: object): string {
  try {
    return jsonText(fields)
  } catch (error) {
    throw new TypeError(`${subject}: frontmatter must be JSON`, { cause: error })
  }
}

/** The files by path, `SKILL.md` first. */
function contentsOf(
  subject: string,
  { instructions, files = {} }: Skill<never, never>,
  frontmatter: SkillFrontmatter,
): ReadonlyMap<string, SkillFile<never, never>> {
  if (!isJsonObject(files)) throw new TypeError(`${subject}: files must be an object, by path`)
  const { [SKILL_FILE]: whole, ...others } = files
  const main = mainFile(subject, whole, instructions, frontmatter)
  return new Map<string, SkillFile<never, never>>([[SKILL_FILE, main], ...Object.entries(others)])
}

function mainFile(
  subject: string,
  whole: SkillFile<never, never> | undefined,
  instructions: Skill<never, never>['instructions'],
  frontmatter: SkillFrontmatter,
): SkillFile<never, never> {
  if ((whole === undefined) === (instructions === undefined)) {
    throw new TypeError(`${subject} needs either instructions or the file ${SKILL_FILE}`)
  }
  if (whole !== undefined) {
    const text = typeof whole === 'string' ? whole : isBundled(whole) ? whole.text : undefined
    if (text?.startsWith('---\n') || text?.startsWith('---\r\n')) return whole
    throw new TypeError(`${subject}: ${SKILL_FILE} must be a text that begins with frontmatter`)
  }
  const head = `${frontmatterText(frontmatter)}\n`
  if (typeof instructions === 'string') return head + checkInstructions(subject, instructions)
  if (typeof instructions !== 'function') {
    throw new TypeError(`${subject}: instructions must be a text or a function that returns one`)
  }
  return async (ctx) => head + checkInstructions(subject, await instructions(ctx))
}

function checkInstructions(subject: string, text: unknown): string {
  if (typeof text !== 'string' || text.trim() === '') {
    throw new TypeError(`${subject}: instructions must be a text that is not empty`)
  }
  if (/^---\r?$/m.test(text.trimStart().split('\n', 1)[0] as string)) {
    throw new TypeError(`${subject}: instructions begin after the frontmatter`)
  }
  return text
}

/** What `encodeURIComponent` encodes, and a segment of a path may contain. @see RFC 3986, `pchar` */
const ALLOWED_IN_SEGMENT = /%(?:24|26|2B|2C|3A|3B|3D|40)/g

/** Nothing more than a client encodes that resolves the path of a file, which the instructions name, as a URI reference. */
function encodeSegment(name: string): string {
  return encodeURIComponent(name).replace(ALLOWED_IN_SEGMENT, decodeURIComponent)
}

function checkPaths(subject: string, paths: readonly string[]): void {
  const folders = new Set<string>()
  for (const path of paths) {
    const segments = path.split('/')
    const isWrong = segments.some(
      (name) => name === '' || name === '.' || name === '..' || NOT_IN_FILE_NAME.test(name),
    )
    if (isWrong || !path.isWellFormed()) {
      throw new TypeError(
        `${subject}: ${JSON.stringify(path)} is no path of a file: write it as templates/invoice.md`,
      )
    }
    for (let end = 1; end < segments.length; end++) folders.add(segments.slice(0, end).join('/'))
  }
  const both = paths.find((path) => folders.has(path))
  if (both !== undefined) throw new TypeError(`${subject}: ${both} is both a file and a folder`)
}

/** @throws {TypeError} for a skill that exceeds what hosts accept with the skills in its folder, whose files are its own too */
export function checkNestedSkills({ skills }: Definition): void {
  for (const { root, files } of skills.values()) {
    const inner = [...skills.values()].filter((skill) => skill.root.startsWith(`${root}/`))
    const all = [...files, ...inner.flatMap((skill) => skill.files)]
    checkLimits(`Skill "${root.slice(SCHEME.length)}", with the skills in its folder,`, all)
  }
}

function checkLimits(subject: string, files: readonly SkillFileDefinition[]): void {
  if (files.length > MAX_SKILL_FILES) {
    throw new TypeError(`${subject} has ${files.length} files; hosts accept ${MAX_SKILL_FILES}`)
  }
  const size = files.reduce((sum, { identity }) => sum + (identity?.size ?? 0), 0)
  if (size > MAX_SKILL_BYTES) {
    throw new TypeError(`${subject} has ${size} bytes; hosts accept ${MAX_SKILL_BYTES}`)
  }
}

interface CompiledFile {
  /** Undefined for a file that is generated for each read. */
  readonly identity: FileIdentity | undefined
  readonly isText: boolean
  readonly read: ResourceDefinition['read']
}

function compileFile(
  subject: string,
  path: string,
  content: SkillFile<never, never>,
): CompiledFile {
  if (typeof content === 'function') {
    const reader = content as SkillFileReader
    return { identity: undefined, isText: true, read: (_, ctx) => reader(ctx) }
  }
  if (typeof content === 'string' || content instanceof Uint8Array) {
    const isText = typeof content === 'string'
    if (isText && !content.isWellFormed()) {
      throw new TypeError(`${subject}: ${path} has half of a character`)
    }
    const bytes = isText ? new TextEncoder().encode(content) : content.slice()
    return { identity: identityOf(bytes), isText, read: () => (isText ? content : bytes) }
  }
  if (!isBundled(content)) {
    throw new TypeError(
      `${subject}: ${path} must be a text, bytes, or a function that returns them`,
    )
  }
  const { text, base64, digest, size } = content
  const identity = { size, digest: async () => digest }
  if (text !== undefined) return { identity, isText: true, read: () => text }
  const blob = base64 as string
  const mimeType = mediaTypeOf(path, false)
  return { identity, isText: false, read: ({ href }) => ({ uri: href, mimeType, blob }) }
}

function isBundled(file: unknown): file is BundledSkillFile {
  return (
    isJsonObject(file) &&
    typeof file.digest === 'string' &&
    Number.isSafeInteger(file.size) &&
    (typeof file.text === 'string') !== (typeof file.base64 === 'string')
  )
}

/** The digest is computed with the first request for it, and kept. */
function identityOf(bytes: Uint8Array): FileIdentity {
  let digest: string | undefined
  return {
    size: bytes.byteLength,
    digest: async () => {
      digest ??= `sha256:${(await sha256(bytes)).toHex()}`
      return digest
    },
  }
}
