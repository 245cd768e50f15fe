import { describe, expect, it } from 'vitest'
import { type Skill, type SkillOptions, skill } from '../../src/features/skills/index.ts'
import { McpServer } from '../../src/index.ts'
import { verifies } from '../support/verifies.ts'

const create = () => new McpServer({ name: 's', version: '1' })
// Malformed definitions come from JavaScript or from casts: the types reject most of them.
const wrong = (value: unknown) => value as never

const PLAIN: Skill = {
  path: 'refunds',
  frontmatter: { description: 'Refunds an order.' },
  instructions: 'Do it.\n',
}

const bundled = (text: string) => ({ text, digest: 'sha256:0', size: text.length })

describe('registerSkill with a malformed skill', () => {
  const TABLE: readonly [string, Partial<Record<keyof Skill, unknown>>, RegExp][] = [
    ['no path', { path: undefined }, /Skill path undefined/],
    ['an empty path', { path: '' }, /Skill path ""/],
    ['a path with an empty segment', { path: 'a//b' }, /Skill path "a\/\/b"/],
    ['a path that goes up', { path: '../refunds' }, /Skill path/],
    ['a path with a space', { path: 'my refunds' }, /Skill path/],
    ['a path with a slash at its end', { path: 'refunds/' }, /Skill path/],
    ['a name in capitals', { path: 'Refunds' }, /name must be 1 to 64 lower-case/],
    ['a name with two hyphens', { path: 'a--b' }, /name must be 1 to 64/],
    ['a name that is too long', { path: 'a'.repeat(65) }, /name must be 1 to 64/],
    [
      'another name than its folder',
      { frontmatter: { name: 'other', description: 'x' } },
      /name must be that of the folder, "refunds"/,
    ],
    ['no frontmatter', { frontmatter: undefined }, /frontmatter must be an object/],
    ['frontmatter that is a list', { frontmatter: [] }, /frontmatter must be an object/],
    ['no description', { frontmatter: {} }, /description must be a text of 1 to 1024/],
    ['an empty description', { frontmatter: { description: ' ' } }, /description must be/],
    [
      'a description that is too long',
      { frontmatter: { description: 'x'.repeat(1025) } },
      /description must be/,
    ],
    [
      'a number in metadata',
      { frontmatter: { description: 'x', metadata: { version: 2 } } },
      /metadata must map keys to texts/,
    ],
    [
      'a reserved key in metadata',
      { frontmatter: { description: 'x', metadata: { 'io.modelcontextprotocol/x': 'y' } } },
      /reserved for extensions of MCP/,
    ],
    [
      'tools that are a list',
      { frontmatter: { description: 'x', 'allowed-tools': ['Bash'] } },
      /allowed-tools must be a text/,
    ],
    [
      'a number without a form in JSON',
      { frontmatter: { description: 'x', big: 1n } },
      /frontmatter must be JSON/,
    ],
    ['no instructions', { instructions: undefined }, /needs either instructions or the file/],
    ['empty instructions', { instructions: ' \n' }, /instructions must be a text/],
    ['instructions that are a number', { instructions: 3 }, /instructions must be a text/],
    [
      'instructions with frontmatter',
      { instructions: '---\nname: x\n---\n' },
      /instructions begin after the frontmatter/,
    ],
    [
      'instructions and SKILL.md',
      { files: { 'SKILL.md': '---\nname: x\n---\n' } },
      /needs either instructions or the file/,
    ],
    [
      'a SKILL.md without frontmatter',
      { instructions: undefined, files: { 'SKILL.md': bundled('# Refunds\n') } },
      /SKILL.md must be a text that begins with frontmatter/,
    ],
    ['files that are a list', { files: ['a.md'] }, /files must be an object/],
    ['a file that is a number', { files: { 'a.md': 3 } }, /a.md must be a text, bytes/],
    [
      'a file with text and base64',
      { files: { 'a.md': { ...bundled('x'), base64: '' } } },
      /a.md must be/,
    ],
    ['a file with half of a character', { files: { 'a.md': '\udc00' } }, /half of a character/],
    ['an absolute path of a file', { files: { '/etc/a.md': 'x' } }, /is no path of a file/],
    ['a path of a file that goes up', { files: { '../a.md': 'x' } }, /is no path of a file/],
    ['a path of Windows', { files: { 'a\\b.md': 'x' } }, /is no path of a file/],
    ['a folder as a file', { files: { 'a/': 'x' } }, /is no path of a file/],
    [
      'a file that is a folder too',
      { files: { a: 'x', 'a/b': 'x' } },
      /a is both a file and a folder/,
    ],
    [
      'too many files',
      { files: Object.fromEntries(Array.from({ length: 512 }, (_, at) => [`${at}.md`, 'x'])) },
      /has 513 files; hosts accept 512/,
    ],
    [
      'too many bytes',
      { files: { 'a.bin': new Uint8Array(16 * 1024 * 1024) } },
      /bytes; hosts accept 16777216/,
    ],
  ]

  it.each(TABLE)('refuses %s', (_, change, message) => {
    verifies('skills/skills-conform')
    verifies('skills/path-ends-with-name', { row: 'another name than its folder' })
    expect(() => create().registerSkill(skill(wrong({ ...PLAIN, ...change })))).toThrow(message)
  })

  it.each<[string, unknown, RegExp]>([
    ['scopes that are a text', { scopes: 'read' }, /scopes must be a list/],
    ['visible that is no function', { visible: true }, /visible must be a function/],
    ['a negative ttlMs', { ttlMs: -1 }, /ttlMs must be an integer/],
    ['an unknown cacheScope', { cacheScope: 'all' }, /cacheScope must be/],
  ])('refuses %s', (_, options, message) => {
    expect(() => create().registerSkill(skill(PLAIN, options as SkillOptions))).toThrow(message)
  })

  it('refuses a value that is no skill', () => {
    expect(() => create().registerSkill(skill(wrong(undefined)))).toThrow(/A skill needs/)
  })

  it('refuses a skill twice, and a file that another skill has', () => {
    const server = create().registerSkill(skill({ ...PLAIN, files: { 'inner/SKILL.md': 'x' } }))
    expect(() => server.registerSkill(skill(PLAIN))).toThrow(
      /refunds\/SKILL.md is already registered/,
    )
    expect(() => server.registerSkill(skill({ ...PLAIN, path: 'refunds/inner' }))).toThrow(
      /refunds\/inner\/SKILL.md is already registered/,
    )
  })
})
