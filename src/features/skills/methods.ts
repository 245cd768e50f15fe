/**
 * `skills/list`, `skills/get` and `resources/directory/read`.
 *
 * @see https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx
 */

import { isVisible } from '../../dispatch/access.ts'
import { answerText } from '../../dispatch/answer-text.ts'
import type { Call } from '../../dispatch/call.ts'
import { readCursor } from '../../dispatch/listing/cursor.ts'
import { pageOf } from '../../dispatch/listing/page.ts'
import type { RevisionContext } from '../../dispatch/methods/method.ts'
import { readUri } from '../../dispatch/methods/resources-read.ts'
import type { AuthInfo } from '../../protocol/auth-info.ts'
import type { Resource } from '../../protocol/content.ts'
import type { CacheHints } from '../../protocol/primitives.ts'
import { excerpt, invalidParams } from '../../protocol/protocol-error.ts'
import { DIRECTORY_TYPE, type SkillEntry, type SkillResource } from '../../protocol/skills.ts'
import type { Definition, ResourceDefinition, SkillDefinition } from '../../server/definition.ts'

/** @throws {ProtocolError} invalidParams for a cursor that is not of this list */
export async function listSkills(
  { definition, codec }: RevisionContext,
  call: Call,
): Promise<string> {
  const { params, auth } = call.request
  const position = readCursor(params)
  const seen = seenSkills(definition, auth)
  const entries = await Promise.all(seen.map((skill) => entryOf(skill, seen)))
  const { page, nextCursor } = pageOf(entries, ({ uri }) => uri, position, definition.pageSize)
  const body = { skills: page, ...(nextCursor === undefined ? undefined : { nextCursor }) }
  return answerText(call, codec, body, cacheOf(definition))
}

/** @throws {ProtocolError} invalidParams for a URI at which the caller sees no skill */
export async function getSkill(
  { definition, codec }: RevisionContext,
  call: Call,
): Promise<string> {
  const uri = readUri(call)
  const seen = seenSkills(definition, call.request.auth)
  const skill = seen.find((one) => one.uri === uri)
  if (skill === undefined) {
    throw invalidParams(`No skill is served at ${excerpt(uri)}: request skills/list`, {
      uri: excerpt(uri),
    })
  }
  return answerText(call, codec, { skill: await entryOf(skill, seen) }, cacheOf(definition))
}

/**
 * Lists what a folder contains. Folders are the folders of skills, those in them, and those above them.
 *
 * @throws {ProtocolError} invalidParams for a URI that is no folder with anything that the caller sees
 */
export function readDirectory({ definition, codec }: RevisionContext, call: Call): string {
  const uri = readUri(call)
  const { params, auth } = call.request
  const position = readCursor(params)
  const children = childrenOf(uri, seenFiles(definition, auth))
  if (children.length === 0) {
    throw invalidParams(`${excerpt(uri)} is not a directory resource`, { uri: excerpt(uri) })
  }
  const { page, nextCursor } = pageOf(children, (child) => child.uri, position, definition.pageSize)
  return answerText(call, codec, {
    resources: page.map((item) => codec.listItem('resources/list', item)),
    ...(nextCursor === undefined ? undefined : { nextCursor }),
  })
}

function seenSkills(
  { skills, resources }: Definition,
  auth: AuthInfo | undefined,
): readonly SkillDefinition[] {
  return [...skills.values()].filter(({ uri }) => isVisible(fileAt(resources, uri), auth))
}

/** The files of the skills that a caller sees. */
function seenFiles(definition: Definition, auth: AuthInfo | undefined): readonly Resource[] {
  return seenSkills(definition, auth).flatMap(({ files }) =>
    files.map(({ uri }) => fileAt(definition.resources, uri).info),
  )
}

function fileAt(resources: Definition['resources'], uri: string): ResourceDefinition {
  const found = resources.get(uri)
  if (found === undefined) throw new TypeError(`The file ${uri} of a skill is not registered`)
  return found
}

/** The entry of a skill. Its files include those of the skills in its folder. */
async function entryOf(
  { uri, root, frontmatter }: SkillDefinition,
  seen: readonly SkillDefinition[],
): Promise<SkillEntry> {
  const files = seen
    .filter((skill) => skill.root === root || skill.root.startsWith(`${root}/`))
    .flatMap((skill) => skill.files)
  const resources: SkillResource[] = []
  for (const { uri: file, identity } of files) {
    if (identity === undefined) return { uri, frontmatter, resources: 'dynamic' }
    resources.push({ uri: file, digest: await identity.digest(), size: identity.size })
  }
  return { uri, frontmatter, resources }
}

/** The direct children of a folder, each once. */
function childrenOf(folder: string, files: readonly Resource[]): readonly Resource[] {
  const children = new Map<string, Resource>()
  for (const file of files) {
    if (!isInside(file.uri, folder)) continue
    const [name = ''] = file.uri.slice(folder.length + 1).split('/', 1)
    const uri = `${folder}/${name}`
    const directory = { uri, name: decodeURIComponent(name), mimeType: DIRECTORY_TYPE }
    children.set(uri, uri === file.uri ? file : directory)
  }
  return [...children.values()]
}

/** Whether a file is inside a folder; the scheme alone is no folder. */
function isInside(file: string, folder: string): boolean {
  return file.startsWith(`${folder}/`) && folder.length > file.indexOf('//') + 2
}

/** Entries depend on the caller where a skill has a `visible` callback. */
function cacheOf({ skills, resources, listTtlMs, isPrivate }: Definition): CacheHints {
  const isGuarded = [...skills.keys()].some((uri) => resources.get(uri)?.visible !== undefined)
  return isGuarded
    ? { ttlMs: 0, cacheScope: 'private' }
    : { ttlMs: listTtlMs, cacheScope: isPrivate ? 'private' : 'public' }
}
