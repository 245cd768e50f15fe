/** Tests how `edgeway submit` reads `directory.json`: each mistake with its place and what to write. */
// features: all
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { afterAll, describe, expect, it } from 'vitest'
import { directorySchemaText } from '../src/submit/directory-schema.ts'
import { parseCommented, readListing } from '../src/submit/read-listing.ts'
import { secretIn } from '../src/submit/secret-text.ts'

const TEMPORARY = mkdtempSync(join(tmpdir(), 'edgeway-listing-'))
const FILE = join(TEMPORARY, 'directory.json')

afterAll(() => rmSync(TEMPORARY, { recursive: true, force: true }))

const read = (content: string | Uint8Array) => {
  writeFileSync(FILE, content)
  return readListing(FILE)
}

/** The problems of a file, each without the path. */
function problemsOf(content: string | Uint8Array): readonly string[] {
  try {
    read(content)
    return []
  } catch (error) {
    return (error as Error).message.replaceAll(`${FILE}:`, '').split('\n')
  }
}

describe('directory.json', () => {
  it('may have comments, trailing commas and a byte order mark', () => {
    const text = '\ufeff{\n  // The name.\n  "title": "Notes", /* and */ "keywords": ["a",],\n}'
    expect(read(text)).toEqual({ title: 'Notes', keywords: ['a'] })
  })

  it('has the same syntax where the doctor reads it', () => {
    expect(parseCommented('{ "title": "a", /* b */ }')).toEqual({ title: 'a' })
    expect(parseCommented('{')).toBeUndefined()
  })

  it('may be empty: which members a directory requires is a rule of the directory', () => {
    expect(read('{}')).toEqual({})
  })

  it.each<[string, string | Uint8Array, readonly string[]]>([
    ['an empty file', '', ['1:1: a value is expected']],
    ['a list', '[]', ['1:1: it must be an object: { … }']],
    ['null', 'null', ['1:1: it must be an object: { … }']],
    ['an object that does not end', '{"title": "x"', ['1:14: a closing brace } is missing']],
    ['a second object', '{}\n{}', ['2:1: the file must end here']],
    ['single quotes', "{'title': 1}", [expect.stringContaining('1:2: ')]],
    ['no comma', '{"title": "x"\n"name": "y"}', ['2:1: a comma is missing']],
    [
      'a text over two lines',
      '{"title": "a\nb"}',
      ['1:11: the text does not end on its line: close it with "'],
    ],
    [
      'Windows line ends before the mistake',
      '{\r\n\r\n  "title": 5\r\n}',
      ['3:12: title must be a text'],
    ],
    ['100,000 nested lists', '['.repeat(100_000), ['1:1: it is nested too deeply']],
    ['a member twice', '{"title": "a",\n "title": "b"}', ['2:2: "title" is there twice']],
    [
      'a member twice in a case',
      '{"cases": {"positive": [{"prompt": "a", "prompt": "b"}]}}',
      ['1:41: "prompt" is there twice'],
    ],
    [
      'the name of a prototype',
      '{"justifications": {"__proto__": {}}}',
      ['1:21: "__proto__" is no member'],
    ],
    [
      'a misspelt member',
      '{\n  "privcay": "https://example.com"\n}',
      ['2:3: "privcay" is no member. Do you mean "privacy"?'],
    ],
    [
      'a misspelt member of claude',
      '{"claude": {"onLiner": "x"}}',
      ['1:13: "onLiner" is no member of claude. Do you mean "oneLiner"?'],
    ],
    [
      'an unknown member',
      '{"company": {"name": "x", "contact": {"name": "x", "email": "a@example.com", "fax": "1"}}}',
      ['1:78: "fax" is no member of company.contact. It has: name, email, role'],
    ],
    [
      'a number for a list',
      '{"starterPrompts": 3}',
      ['1:20: starterPrompts must be a list: [ … ]'],
    ],
    [
      'a text in a list of texts that is a number',
      '{"keywords": ["a", 7]}',
      ['1:20: keywords[1] must be a text'],
    ],
    [
      'a URL without a scheme',
      '{"privacy": "example.com/privacy"}',
      ['1:13: privacy must be a URL, such as "https://example.com/privacy"'],
    ],
    [
      'an empty URL, as in a first file',
      '{"privacy": ""}',
      ['1:13: privacy is empty: it must be a URL, such as "https://example.com/privacy"'],
    ],
    [
      'a case without members',
      '{"cases": {"positive": [{}], "negative": []}}',
      [
        '1:25: cases.positive[0].description is missing',
        '1:25: cases.positive[0].prompt is missing',
        '1:25: cases.positive[0].expected is missing',
      ],
    ],
    [
      'an unknown source of data',
      '{"claude": {"dataHandling": {"source": "mine", "health": false, "sponsored": "no"}}}',
      [
        '1:40: claude.dataHandling.source must be "own" or "proxied" or "third-party"',
        '1:78: claude.dataHandling.sponsored must be true or false',
      ],
    ],
    ['a justification that is a text', '{"justifications": {"a": "x"}}', [expect.any(String)]],
    [
      'a password',
      '{"testAccount": "Sign in as demo. Password: hunter2"}',
      [expect.stringMatching(/^1:17: this text contains a password or token\. Remove it/)],
    ],
    [
      'a token in a list',
      `{"keywords": ["ghp_${'a1'.repeat(18)}"]}`,
      [expect.stringMatching(/^1:15: this text contains a token of GitHub/)],
    ],
  ])('with %s is refused with line and column', (_, content, expected) => {
    expect(problemsOf(content)).toEqual(expected)
  })

  it('names the first 20 of many mistakes, and how many more there are', () => {
    const members = Array.from({ length: 30 }, (_, at) => `"unknown${at}": 1`)
    const problems = problemsOf(`{${members.join(',\n')}}`)
    expect(problems).toHaveLength(21)
    expect(problems.at(-1)).toBe('and 10 more')
  })

  it('shows no control character of the file in a message', () => {
    const [problem] = problemsOf('{"\\u001b[31mred": 1}')
    expect(problem).toMatch(/^1:2: "\[31mred" is no member/)
  })

  it.each<[string, () => string, RegExp]>([
    ['does not exist', () => join(TEMPORARY, 'none.json'), /There is no .*edgeway submit init/],
    [
      'is a folder',
      () => {
        mkdirSync(join(TEMPORARY, 'folder.json'))
        return join(TEMPORARY, 'folder.json')
      },
      /is not a file/,
    ],
    [
      'is a link to nothing',
      () => {
        symlinkSync(join(TEMPORARY, 'nothing'), join(TEMPORARY, 'link.json'))
        return join(TEMPORARY, 'link.json')
      },
      /is a link to a file that does not exist/,
    ],
    [
      'is not UTF-8',
      () => {
        writeFileSync(join(TEMPORARY, 'latin.json'), new Uint8Array([0x7b, 0xff, 0x7d]))
        return join(TEMPORARY, 'latin.json')
      },
      /is not UTF-8 text/,
    ],
    [
      'has more than a mebibyte',
      () => {
        writeFileSync(join(TEMPORARY, 'large.json'), `{"title": "${'x'.repeat(1024 * 1024)}"}`)
        return join(TEMPORARY, 'large.json')
      },
      /is larger than 1048576 bytes/,
    ],
  ])('is refused when it %s', (_, create, message) => {
    expect(() => readListing(create())).toThrow(message)
  })
})

describe('the JSON Schema of directory.json', () => {
  const schema = JSON.parse(directorySchemaText())
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema)

  it('describes every member, for editors', () => {
    const { $schema: _, ...members } = schema.properties
    const undescribed = Object.entries<{ description?: string }>(members).filter(
      ([name, { description }]) =>
        description === undefined && !['company', 'cases'].includes(name),
    )
    expect(undescribed).toEqual([])
  })

  it('accepts what the command reads, and refuses what it refuses', () => {
    const given = { $schema: 'x', title: 'Notes', claude: { acknowledgements: { aiMedia: true } } }
    expect(read(JSON.stringify(given)).claude?.acknowledgements?.guidelines).toBe(false)
    expect(validate(given)).toBe(true)
    expect(validate({ titel: 'Notes' })).toBe(false)
    expect(validate({ cases: { positive: [{}], negative: [] } })).toBe(false)
  })
})

describe('a text of a listing', () => {
  it.each([
    'Password: hunter2',
    'password = "correct horse"',
    'The passphrase is correct-horse-battery',
    'The password is "swordfish"',
    'demo@example.com / swordfish',
    'Sign in with demo / demo',
    'API key: 8f3a91bc77',
    'token = abcd1234',
    'PIN: 4711',
    'https://demo:secret@example.com',
    `sk-${'a'.repeat(30)}`,
    `Authorization: Bearer ${'a'.repeat(30)}`,
    'AKIAIOSFODNN7EXAMPLE',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc',
    '-----BEGIN PRIVATE KEY-----',
  ])('is refused with the secret %j', (text) => {
    expect(secretIn(text)).toMatch(/Remove it and replace it at its issuer/)
  })

  it.each([
    'The password is entered in the form.',
    'Password: see the form',
    'Enter the passphrase of the form. No second factor is asked.',
    'Pin: keeps a note at the top of the list',
    'Counts tokens: of texts and images',
    'The token is invalid after an hour',
    'A secret is never stored',
    'Passwords are not stored',
    'Write to help@example.com or call',
    'Search / read / write',
    'https://example.com:8443/a@b',
  ])('may say %j', (text) => {
    expect(secretIn(text)).toBeUndefined()
  })
})
