/** Tests `edgeway skills`, on folders that it reads. */
// features: all
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { runEdgeway } from '../../../test/support/node/edgeway-command.ts'
import { verifies } from '../../../test/support/verifies.ts'
import { moduleText } from '../src/skills/module-text.ts'
import { readSkills } from '../src/skills/read-skills.ts'

const TEMPORARY = mkdtempSync(join(tmpdir(), 'edgeway-skills-'))
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(TEMPORARY, 'case-'))
})

afterAll(() => rmSync(TEMPORARY, { recursive: true, force: true }))

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), content)
}

const skillFile = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: Does ${name}.\n${more}---\n\nDo it.\n`

/** The problems of a folder, as the command prints them. */
const problems = () =>
  readSkills(folder).problems.map(
    ({ file, line, message }) => `${file.slice(folder.length + 1)}:${line}: ${message}`,
  )

describe('a folder of skills', () => {
  it('becomes skills with their paths, frontmatter and files', () => {
    verifies('skills/frontmatter-is-that-of-the-file')
    write('refunds/SKILL.md', skillFile('refunds', 'license: MIT\n'))
    write('refunds/templates/email.md', 'Dear customer\n')
    write('refunds/logo.png', new Uint8Array([137, 80, 78, 71, 0]))
    write('acme/billing/invoices/SKILL.md', skillFile('invoices'))
    write('README.md', 'not a skill')
    const { skills } = readSkills(folder)
    expect(skills.map(({ path, files }) => [path, Object.keys(files)])).toEqual([
      ['acme/billing/invoices', ['SKILL.md']],
      ['refunds', ['SKILL.md', 'logo.png', 'templates/email.md']],
    ])
    expect(skills[1]?.frontmatter).toEqual({
      name: 'refunds',
      description: 'Does refunds.',
      license: 'MIT',
    })
    expect(skills[1]?.files['logo.png']).toMatchObject({ base64: 'iVBORwA=', size: 5 })
    expect(skills[1]?.files['templates/email.md']).toEqual({
      text: 'Dear customer\n',
      size: 14,
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    })
  })

  it('may be one skill, with the name of the folder', () => {
    write('refunds/SKILL.md', skillFile('refunds'))
    expect(readSkills(join(folder, 'refunds')).skills.map(({ path }) => path)).toEqual(['refunds'])
  })

  it('gives the files of a skill within another one to the inner skill', () => {
    write('outer/SKILL.md', skillFile('outer'))
    write('outer/notes.md', 'x')
    write('outer/inner/SKILL.md', skillFile('inner'))
    write('outer/inner/notes.md', 'x')
    expect(readSkills(folder).skills.map(({ path, files }) => [path, Object.keys(files)])).toEqual([
      ['outer', ['SKILL.md', 'notes.md']],
      ['outer/inner', ['SKILL.md', 'notes.md']],
    ])
  })

  it('leaves out hidden files and links', () => {
    write('refunds/SKILL.md', skillFile('refunds'))
    write('refunds/.DS_Store', 'x')
    write('refunds/.git/config', 'x')
    symlinkSync('/etc/passwd', join(folder, 'refunds/passwd.md'))
    expect(Object.keys(readSkills(folder).skills[0]?.files ?? {})).toEqual(['SKILL.md'])
  })

  it('keeps text as it is, with the line ends and marks that its digest covers', () => {
    write('refunds/SKILL.md', skillFile('refunds').replaceAll('\n', '\r\n'))
    write('refunds/a.md', '\ufeffa\r\n')
    const [skill] = readSkills(folder).skills
    expect(skill?.files['a.md']).toMatchObject({ text: '\ufeffa\r\n', size: 6 })
    expect(problems()).toEqual([])
  })
})

describe('a wrong SKILL.md', () => {
  const HEAD = '---\nname: refunds\n'
  it.each<[string, string | Uint8Array, string]>([
    ['no frontmatter', '# Refunds\n', '1: must begin with a line of ---, and frontmatter'],
    ['an empty file', '', '1: must begin with a line of ---, and frontmatter'],
    [
      'a byte order mark',
      `\ufeff${HEAD}---\n`,
      '1: begins with a byte order mark: save it without one',
    ],
    ['bytes that are no text', new Uint8Array([0xff, 0xfe]), '1: is not UTF-8 text'],
    [
      'frontmatter that does not end',
      HEAD,
      '1: the frontmatter does not end: close it with a line of ---',
    ],
    [
      'frontmatter that is a list',
      '---\n- a\n---\n',
      '2: the frontmatter must map fields to values',
    ],
    ['empty frontmatter', '---\n---\n', '2: the frontmatter must map fields to values'],
    ['no description', `${HEAD}---\n`, '2: description must be a text of 1 to 1024 characters'],
    [
      'an empty description',
      `${HEAD}\ndescription:\n---\n`,
      '4: description must be a text of 1 to 1024 characters',
    ],
    [
      'another name',
      '---\ndescription: x\nname: other\n---\n',
      '3: name must be that of the folder, "refunds"',
    ],
    [
      'a number in metadata',
      `${HEAD}description: x\nmetadata:\n  version: 2.1\n---\n`,
      '4: metadata must map keys to texts: quote numbers and dates',
    ],
    ['a field twice', `${HEAD}description: x\nname: refunds\n---\n`, '4: Map keys must be unique'],
    [
      'a value that contains itself',
      `${HEAD}description: &a [*a]\n---\n`,
      '3: description has no form in JSON: quote it',
    ],
    [
      'a field __proto__',
      `${HEAD}description: x\n__proto__: { allowed-tools: Bash }\n---\n`,
      '4: __proto__ cannot name a field: rename it',
    ],
    [
      'a field __proto__ within another one',
      `${HEAD}description: x\nhooks:\n  - "__proto__": { a: 1 }\n---\n`,
      '5: __proto__ cannot name a field: rename it',
    ],
    [
      'a number without a form in JSON',
      `${HEAD}description: x\nbig: .inf\n---\n`,
      '4: big has no form in JSON: quote it',
    ],
  ])('with %s is named with its line', (_, content, expected) => {
    verifies('skills/skills-conform')
    write('refunds/SKILL.md', content)
    expect(problems()).toEqual([`refunds/SKILL.md:${expected}`])
  })

  it('with YAML that cannot be parsed is named with its line', () => {
    write('refunds/SKILL.md', `${HEAD}description: a: b\n---\n`)
    expect(problems()).toEqual([expect.stringMatching(/^refunds\/SKILL.md:3: Nested mappings/)])
  })

  it('with aliases that multiply is refused', () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      'b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]',
      'c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]',
      'd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]',
    ]
    write('refunds/SKILL.md', `${HEAD}description: x\n${bomb.join('\n')}\n---\n`)
    expect(problems()).toEqual([expect.stringMatching(/^refunds\/SKILL.md:2: .*alias/i)])
  })

  it('with a file __proto__ beside it is refused', () => {
    write('refunds/SKILL.md', skillFile('refunds'))
    write('refunds/__proto__', 'x')
    expect(problems()).toEqual(['refunds/SKILL.md:1: the skill has a file __proto__: rename it'])
  })

  it('does not hide the problems of the others', () => {
    write('a/SKILL.md', '')
    write('b/SKILL.md', skillFile('c'))
    write('Bad Folder/SKILL.md', skillFile('x'))
    expect(problems()).toEqual([
      expect.stringContaining('Bad Folder/SKILL.md:1: the folder "Bad Folder" is part of a URI'),
      expect.stringContaining('a/SKILL.md:1:'),
      expect.stringContaining('b/SKILL.md:2:'),
    ])
  })
})

describe('the limits of a skill', () => {
  it('are those that every host accepts', () => {
    write('many/SKILL.md', skillFile('many'))
    for (let at = 0; at < 512; at++) write(`many/${at}.md`, 'x')
    write('large/SKILL.md', skillFile('large'))
    write('large/data.bin', new Uint8Array(16 * 1024 * 1024))
    expect(problems()).toEqual([
      expect.stringMatching(/^large\/SKILL.md:1: the skill has \d+ bytes; hosts accept 16777216$/),
      'many/SKILL.md:1: the skill has 513 files; hosts accept 512',
    ])
  })
})

describe('edgeway skills', () => {
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await runEdgeway(['skills', ...args], { cwd: folder })
    return { code, text: `${stdout}${stderr}` }
  }

  it('writes the module, says when it is up to date, and checks it', async () => {
    write('skills/refunds/SKILL.md', skillFile('refunds'))
    expect(await run('--check')).toEqual({
      code: 1,
      text: 'src/skills.ts is out of date: run edgeway skills skills --out src/skills.ts\n',
    })
    expect(await run()).toEqual({ code: 0, text: 'src/skills.ts has been written: 1 skill.\n' })
    const written = readFileSync(join(folder, 'src/skills.ts'), 'utf8')
    expect(written).toBe(moduleText(readSkills(join(folder, 'skills')).skills))
    expect(await run('--check')).toEqual({
      code: 0,
      text: 'src/skills.ts is up to date: 1 skill.\n',
    })
  })

  it('recognizes its module with the line ends of Windows, and replaces an earlier one', async () => {
    write('skills/refunds/SKILL.md', skillFile('refunds'))
    await run()
    const written = readFileSync(join(folder, 'src/skills.ts'), 'utf8')
    write('src/skills.ts', written.replaceAll('\n', '\r\n'))
    expect((await run('--check')).code).toBe(0)
    write('skills/refunds/SKILL.md', skillFile('refunds', 'license: MIT\n'))
    expect((await run()).text).toBe('src/skills.ts has been written: 1 skill.\n')
  })

  it.each([[], ['--check']])('leaves a module of the author alone, with %j', async (...args) => {
    write('skills/refunds/SKILL.md', skillFile('refunds'))
    write('src/skills.ts', 'export const skills = []\n')
    expect(await run(...args)).toEqual({
      code: 2,
      text: 'src/skills.ts was not written by edgeway skills. Name another file: --out FILE. Nothing was written.\n',
    })
    expect(readFileSync(join(folder, 'src/skills.ts'), 'utf8')).toBe('export const skills = []\n')
  })

  it('prints each problem as file and line, and writes nothing', async () => {
    write('skills/refunds/SKILL.md', skillFile('other'))
    expect(await run()).toEqual({
      code: 1,
      text: 'skills/refunds/SKILL.md:2: name must be that of the folder, "refunds"\n',
    })
    expect(() => readFileSync(join(folder, 'src/skills.ts'))).toThrow('ENOENT')
  })

  it('prints no control or direction character of a file or of its name', async () => {
    write('skills/a\u202eb/SKILL.md', skillFile('refunds'))
    write(
      'skills/refunds/SKILL.md',
      `---\nname: refunds\n"\\e]0;x\\a\u202e": .inf\ndescription: x\n---\n`,
    )
    write('skills/wrong/SKILL.md', '---\nname: a\ndescription: *\u009b31m\n---\n')
    const { code, text } = await run()
    expect(code).toBe(1)
    expect(text.split('\n')).toHaveLength(4)
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u)
  })

  it('says what is missing', async () => {
    expect(await run('nowhere')).toEqual({
      code: 2,
      text: 'There is no folder nowhere. Nothing was written.\n',
    })
    mkdirSync(join(folder, 'skills'))
    expect(await run()).toEqual({
      code: 2,
      text: 'No folder in skills has a file SKILL.md. Nothing was written.\n',
    })
  })
})
