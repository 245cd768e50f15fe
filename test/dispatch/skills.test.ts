import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Skill, type SkillOptions, skill } from '../../src/features/skills/index.ts'
import { McpServer, ToolError } from '../../src/index.ts'
import { openApp, type TestApp } from '../support/test-app.ts'
import { verifies } from '../support/verifies.ts'

const SKILLS = 'io.modelcontextprotocol/skills'

const REFUNDS: Skill = {
  path: 'acme/billing/refunds',
  frontmatter: { description: 'Refunds an order.', license: 'MIT', metadata: { version: '2' } },
  instructions: '# Refunds\n\nWrite with `templates/email.md`.\n',
  files: {
    'templates/email.md': '# Dear customer\n',
    'templates/eu/email.md': '# Dear customer of the union\n',
    'logo.png': new Uint8Array([137, 80, 78, 71]),
    'notes & plans.md': 'later\n',
  },
}

const ROOT = 'skill://acme/billing/refunds'

function open(...skills: readonly (Skill | readonly [Skill, SkillOptions])[]): TestApp {
  const server = new McpServer({ name: 's', version: '1' }, { pageSize: 3 })
  for (const source of skills) {
    if ('path' in source) server.registerSkill(skill(source))
    else server.registerSkill(skill(...source))
  }
  return openApp(server)
}

async function result(app: TestApp, method: string, params?: Record<string, unknown>) {
  const { body } = await app.modern(method, params)
  return body.result ?? body.error
}

const plain = (name: string): Skill => ({
  path: name,
  frontmatter: { description: `Does ${name}.` },
  instructions: 'Do it.\n',
})

async function sha256(bytes: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', bytes)
  return `sha256:${new Uint8Array(hash).toHex()}`
}

/** The bytes that a client reads. */
async function readBytes(app: TestApp, uri: string): Promise<Uint8Array> {
  const { contents } = await result(app, 'resources/read', { uri })
  const [{ text, blob }] = contents
  return text === undefined ? Uint8Array.fromBase64(blob) : new TextEncoder().encode(text)
}

describe('a server with skills', () => {
  it('declares the extension and its resources', async () => {
    verifies('skills/resources-are-declared')
    const { capabilities } = await result(open(REFUNDS), 'server/discover')
    expect(capabilities.extensions).toEqual({ [SKILLS]: { directoryRead: true } })
    expect(capabilities.resources).toBeDefined()
  })

  it('lists a skill with every file, each with the digest and size of what is read', async () => {
    verifies('skills/declared-methods-exist', 'skills/entry-has-resources')
    verifies('skills/results-are-complete', 'skills/list-and-entry-have-cache-hints')
    const app = open(REFUNDS)
    const { skills, ...rest } = await result(app, 'skills/list')
    expect(rest).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'public' })
    const [{ uri, frontmatter, resources }] = skills
    expect(uri).toBe(`${ROOT}/SKILL.md`)
    expect(frontmatter).toEqual({ name: 'refunds', ...REFUNDS.frontmatter })
    expect(resources.map((file: { uri: string }) => file.uri)).toEqual([
      `${ROOT}/SKILL.md`,
      `${ROOT}/templates/email.md`,
      `${ROOT}/templates/eu/email.md`,
      `${ROOT}/logo.png`,
      `${ROOT}/notes%20&%20plans.md`,
    ])
    for (const { uri: file, digest, size } of resources) {
      const bytes = await readBytes(app, file)
      expect({ digest: await sha256(bytes), size: bytes.byteLength }).toEqual({ digest, size })
    }
  })

  it('writes frontmatter that YAML reads as it was given', async () => {
    verifies('skills/frontmatter-is-that-of-the-file')
    const frontmatter = {
      description: 'A: "b" #c\n- \u2028\u0085 \u{1f600} --- {x} yes',
      'odd key: #': [true, null, 1e21, { nested: ['~', '0x1', '2020-01-01'] }],
      no: 'off',
    }
    const app = open({ ...REFUNDS, frontmatter })
    const text = new TextDecoder().decode(await readBytes(app, `${ROOT}/SKILL.md`))
    expect(parse(text.split('---\n')[1] ?? '')).toEqual({ name: 'refunds', ...frontmatter })
  })

  it('writes keys that both versions of YAML read as texts', async () => {
    verifies('skills/frontmatter-is-that-of-the-file')
    const keys = ['on', 'No', 'y', 'NULL', 'true', 'license', 'allowed-tools', 'online']
    const fields = Object.fromEntries(keys.map((key) => [key, 'x']))
    const app = open({ ...REFUNDS, frontmatter: { description: 'x', ...fields } })
    const text = new TextDecoder().decode(await readBytes(app, `${ROOT}/SKILL.md`))
    for (const version of ['1.1', '1.2'] as const) {
      const read = parse(text.split('---\n')[1] ?? '', { version, mapAsMap: true })
      expect([...read.keys()], version).toEqual(['name', 'description', ...keys])
    }
    expect(text).toContain('\nlicense: "x"\nallowed-tools: "x"\n')
  })

  it('answers skills/get with the entry of the list', async () => {
    verifies('skills/declared-methods-exist', 'skills/every-skill-has-an-entry')
    const app = open(REFUNDS)
    const { skills } = await result(app, 'skills/list')
    const { skill, nextCursor } = await result(app, 'skills/get', { uri: `${ROOT}/SKILL.md` })
    expect(skill).toEqual(skills[0])
    expect(nextCursor).toBeUndefined()
  })

  it('lists SKILL.md among the resources, and no other file', async () => {
    const { resources } = await result(open(REFUNDS), 'resources/list')
    expect(resources).toEqual([
      {
        uri: `${ROOT}/SKILL.md`,
        name: 'refunds',
        description: 'Refunds an order.',
        mimeType: 'text/markdown',
        size: expect.any(Number),
      },
    ])
  })

  it('answers its methods in 2025-11-25 as in the modern revision, also to clients that have not offered the extension', async () => {
    const app = open(REFUNDS)
    const requests = [
      ['skills/list', {}],
      ['skills/get', { uri: `${ROOT}/SKILL.md` }],
      ['resources/directory/read', { uri: ROOT }],
    ] as const
    for (const [method, params] of requests) {
      const { body } = await app.session(method, params)
      const { _meta, ...modern } = await result(app, method, params)
      expect(body.result, method).toEqual(modern)
    }
  })

  it('serves the files as resources in the older revisions, and none of the methods', async () => {
    const app = open(REFUNDS)
    for (const version of ['2025-06-18', '2025-03-26']) {
      const uri = `${ROOT}/templates/email.md`
      const read = await app.session('resources/read', { uri }, version)
      expect(read.body.result.contents[0].text).toBe('# Dear customer\n')
      for (const method of ['skills/list', 'skills/get', 'resources/directory/read']) {
        const { body } = await app.session(method, { uri: ROOT }, version)
        expect(body.error.code, method).toBe(-32601)
      }
    }
  })

  it('pages through its skills, each once', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const app = open(...names.map(plain))
    const found: string[] = []
    let cursor: string | undefined
    do {
      const page = await result(app, 'skills/list', cursor === undefined ? {} : { cursor })
      found.push(
        ...page.skills.map((skill: { frontmatter: { name: string } }) => skill.frontmatter.name),
      )
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(found).toEqual(names)
  })

  it.each([
    'c++.md',
    'a,b;c=d.md',
    '@team/$5 & more!.md',
    "it's (1) *.md",
    'über uns.md',
    '100%25.md',
  ])('serves the file %s where a reference in its SKILL.md leads', async (path) => {
    verifies('skills/entry-has-resources')
    const app = open({ ...plain('a'), files: { [path]: 'x' } })
    const { skill } = await result(app, 'skills/get', { uri: 'skill://a/SKILL.md' })
    const { href: uri } = new URL(path.replaceAll('%', '%25'), skill.uri)
    expect(skill.resources[1].uri).toBe(uri)
    expect(new TextDecoder().decode(await readBytes(app, uri))).toBe('x')
  })

  it('counts the files of a skill within its folder as its own', async () => {
    verifies('skills/entry-has-resources')
    const app = open(plain('outer'), plain('outer/inner'), plain('outer-2'))
    const { skill } = await result(app, 'skills/get', { uri: 'skill://outer/SKILL.md' })
    expect(skill.resources.map(({ uri }: { uri: string }) => uri)).toEqual([
      'skill://outer/SKILL.md',
      'skill://outer/inner/SKILL.md',
    ])
  })
})

describe('skills in the folder of another one', () => {
  const many = (path: string, count: number): Skill => ({
    ...plain(path.slice(path.lastIndexOf('/') + 1)),
    path,
    files: Object.fromEntries(Array.from({ length: count }, (_, at) => [`${at}.md`, 'x'])),
  })
  const big = (path: string): Skill => ({
    ...many(path, 0),
    files: { 'a.bin': new Uint8Array(9 * 1024 * 1024) },
  })

  it('are counted within what hosts accept', async () => {
    const inner = [many('outer', 255), many('outer/inner', 255)]
    expect((await result(open(...inner), 'skills/list')).skills[0].resources).toHaveLength(512)
    expect(() => open(...inner, plain('outer/third'))).toThrow(
      'Skill "outer", with the skills in its folder, has 513 files; hosts accept 512',
    )
    expect(() => open(big('outer'), big('outer/inner'))).toThrow(/with the skills in its folder/)
    expect(() => open(big('outer'), big('outer-2'))).not.toThrow()
  })
})

describe('a server without skills', () => {
  it('has none of the methods', async () => {
    const app = openApp(
      new McpServer({ name: 's', version: '1' }).registerResource('r', 'a://b', {}, () => 'x'),
    )
    for (const method of ['skills/list', 'skills/get', 'resources/directory/read']) {
      const { body } = await app.modern(method, { uri: 'a://b' })
      expect(body.error.code, method).toBe(-32601)
    }
  })
})

describe('resources/directory/read', () => {
  const names = async (uri: string) => {
    const { resources } = await result(open(REFUNDS), 'resources/directory/read', { uri })
    return resources.map(({ name, mimeType }: { name: string; mimeType: string }) => [
      name,
      mimeType,
    ])
  }

  it('returns the direct children of a folder, and folders as folders', async () => {
    verifies('skills/declared-directory-read-exists')
    expect(await names(`${ROOT}/templates`)).toEqual([
      ['email.md', 'text/markdown'],
      ['eu', 'inode/directory'],
    ])
  })

  it('pages through a folder', async () => {
    const app = open(REFUNDS)
    const first = await result(app, 'resources/directory/read', { uri: ROOT })
    expect(first.resources).toHaveLength(3)
    const second = await result(app, 'resources/directory/read', {
      uri: ROOT,
      cursor: first.nextCursor,
    })
    expect(second.resources.map(({ name }: { name: string }) => name)).toEqual(['notes & plans.md'])
    expect(second.nextCursor).toBeUndefined()
  })

  it('reads the folders above a skill', async () => {
    verifies('skills/declared-directory-read-exists')
    expect(await names('skill://acme')).toEqual([['billing', 'inode/directory']])
    expect(await names('skill://acme/billing')).toEqual([['refunds', 'inode/directory']])
  })

  it.each([
    ['a file', `${ROOT}/SKILL.md`],
    ['nothing', `${ROOT}/nothing`],
    ['a part of a name', `${ROOT}/templ`],
    ['a folder with a slash at its end', `${ROOT}/templates/`],
    ['a folder above the path', `${ROOT}/../refunds`],
    ['the scheme', 'skill://'],
    ['the scheme with a slash', 'skill:/'],
    ['the scheme alone', 'skill:'],
  ])('refuses %s', async (_, uri) => {
    verifies('skills/no-folder-is-invalid-params')
    const { body } = await open(REFUNDS).modern('resources/directory/read', { uri })
    expect(body.error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('directory'),
    })
  })

  it('refuses a cursor of another folder', async () => {
    const app = open(REFUNDS)
    const { nextCursor } = await result(app, 'resources/directory/read', { uri: ROOT })
    const params = { uri: `${ROOT}/templates`, cursor: nextCursor }
    expect((await result(app, 'resources/directory/read', params)).code).toBe(-32602)
  })
})

describe('skills/get', () => {
  it.each([
    ['an unknown skill', { uri: 'skill://nothing/SKILL.md' }],
    ['the folder of a skill', { uri: ROOT }],
    ['another file of a skill', { uri: `${ROOT}/templates/email.md` }],
    ['no URI', {}],
    ['a number', { uri: 3 }],
    ['text that is no URI', { uri: 'refunds' }],
    ['a very long URI', { uri: `skill://${'a'.repeat(100_000)}` }],
  ])('refuses %s', async (_, params) => {
    verifies('skills/get-names-skill-file', { row: 'the folder of a skill' })
    verifies('skills/unknown-skill-is-invalid-params', { row: 'an unknown skill' })
    const { body } = await open(REFUNDS).modern('skills/get', params)
    expect(body.error.code).toBe(-32602)
  })
})

describe('a skill for some callers', () => {
  const app = () => open(plain('open'), [plain('hidden'), { visible: () => false }])

  it('is in no list, entry or folder for the others', async () => {
    verifies('skills/unknown-file-is-invalid-params')
    const { skills, ...rest } = await result(app(), 'skills/list')
    expect(skills.map(({ uri }: { uri: string }) => uri)).toEqual(['skill://open/SKILL.md'])
    expect(rest).toMatchObject({ ttlMs: 0, cacheScope: 'private' })
    const uri = 'skill://hidden/SKILL.md'
    expect((await result(app(), 'skills/get', { uri })).code).toBe(-32602)
    expect((await result(app(), 'resources/read', { uri })).code).toBe(-32602)
    const folder = { uri: 'skill://hidden' }
    expect((await result(app(), 'resources/directory/read', folder)).code).toBe(-32602)
  })
})

describe('a skill that is generated for each read', () => {
  const dynamic: Skill = {
    path: 'report',
    frontmatter: { description: 'Reports.' },
    instructions: async (ctx) => {
      if (ctx.auth !== undefined) throw new ToolError('unexpected')
      return `Today: ${new Date().getFullYear()}\n`
    },
    files: { 'static.md': 'x' },
  }

  it('is dynamic in its entry, and its SKILL.md has its frontmatter', async () => {
    verifies('skills/entry-has-resources')
    const app = open(dynamic)
    const { skill } = await result(app, 'skills/get', { uri: 'skill://report/SKILL.md' })
    expect(skill.resources).toBe('dynamic')
    const text = new TextDecoder().decode(await readBytes(app, skill.uri))
    expect(text).toMatch(/^---\nname: "report"\ndescription: "Reports."\n---\n\nToday: \d{4}\n$/)
  })
})

describe('middleware', () => {
  it('runs around the reading of a file of a skill', async () => {
    const names: string[] = []
    const server = new McpServer({ name: 's', version: '1' })
      .use(async (call, next) => {
        names.push(`${call.kind} ${call.name}`)
        return next()
      })
      .registerSkill(skill(plain('a')))
    await openApp(server).modern('resources/read', { uri: 'skill://a/SKILL.md' })
    expect(names).toEqual(['resource skill://a/SKILL.md'])
  })
})
