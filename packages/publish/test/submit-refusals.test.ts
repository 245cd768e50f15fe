/** Tests what `edgeway submit` refuses, each by its name. */
// features: all
import { describe, expect, it } from 'vitest'
import {
  codesOf,
  type FormTarget,
  LISTING,
  SUBMISSION,
  withListing,
} from '../../../test/support/node/submission.ts'
import type { ImageFile } from '../src/submit/image-files.ts'
import { prepare } from '../src/submit/prepare.ts'
import type { Submission } from '../src/submit/submission.ts'

const picture = (changes: Partial<ImageFile> = {}): ImageFile => ({
  member: 'logo',
  path: 'logo.png',
  bytes: new Uint8Array(8),
  type: 'png',
  width: 64,
  height: 64,
  ...changes,
})

const withLogo = (changes: Partial<ImageFile>): Submission => ({
  ...SUBMISSION,
  images: { ...SUBMISSION.images, logos: { logo: picture(changes) } },
})

const without = (member: keyof typeof LISTING) => {
  const { [member]: _, ...listing } = LISTING
  return { ...SUBMISSION, listing }
}

const claudeListing = (changes: Partial<NonNullable<typeof LISTING.claude>>) =>
  withListing({ claude: { ...LISTING.claude, ...changes } })

const openaiListing = (changes: Partial<NonNullable<typeof LISTING.openai>>) =>
  withListing({ openai: { ...LISTING.openai, ...changes } })

/** The rules of listings are in `directories/planted.ts`. */
describe('a submission that the directory would refuse', () => {
  it.each<[string, FormTarget, Submission, readonly string[]]>([
    ['no privacy policy', 'claude', without('privacy'), ['listing-field-missing']],
    [
      'a case with a tool that does not exist',
      'openai',
      withListing({
        cases: {
          positive: [1, 2, 3, 4, 5].map((at) => ({
            ...{ description: `${at}`, prompt: `${at}`, expected: `${at}`, tools: ['find'] },
          })),
          negative: LISTING.cases?.negative ?? [],
        },
      }),
      Array(5).fill('listing-case-tool'),
    ],
    [
      'no data handling',
      'claude',
      claudeListing({ dataHandling: undefined }),
      ['declaration-missing'],
    ],
    ['no use case', 'claude', claudeListing({ useCases: [' '] }), ['declaration-missing']],
    [
      'an open acknowledgement and no test in the Inspector',
      'claude',
      claudeListing({
        acknowledgements: { ...LISTING.claude?.acknowledgements, aiMedia: false } as never,
        tested: { inspector: false, customConnector: true },
      }),
      ['declaration-open', 'declaration-open'],
    ],
    ['no contact', 'claude', without('company'), ['declaration-missing']],
    ['no account for reviewers', 'claude', without('testAccount'), ['declaration-missing']],
    ['no account for reviewers', 'openai', without('testAccount'), ['declaration-missing']],
    [
      'a country by its name',
      'openai',
      openaiListing({ countries: ['Germany'] }),
      ['country-unknown'],
    ],
    [
      'purchases without a description',
      'openai',
      openaiListing({ commerce: true, commerceDescription: '' }),
      ['declaration-missing'],
    ],
    [
      'a URL with a part of each customer',
      'openai',
      { ...SUBMISSION, url: 'https://mcp.parcels.dev/{org}/mcp' },
      ['url-template'],
    ],
    [
      'a name in capitals',
      'claude',
      withListing({ name: 'Parcels', claude: { ...LISTING.claude, slug: 'parcels' } }),
      ['plugin-name'],
    ],
    ['a name with an underscore', 'openai', withListing({ name: 'my_parcels' }), ['plugin-name']],
    ['no license', 'claude', { ...SUBMISSION, licenseText: undefined }, ['license-missing']],
    ['a logo that is not square', 'openai', withLogo({ width: 65 }), ['logo-size']],
    ['a logo of 32 pixels', 'claude', withLogo({ width: 32, height: 32 }), ['logo-size']],
    [
      'a logo of 6 MiB',
      'openai',
      withLogo({ bytes: new Uint8Array(6 * 1024 * 1024) }),
      ['logo-size'],
    ],
    ['a logo that is a GIF', 'openai', withLogo({ type: 'gif', path: 'logo.gif' }), ['image-type']],
    ['a JPEG file that is named PNG', 'openai', withLogo({ type: 'jpg' }), ['image-type']],
    ['no logo', 'openai', without('logo'), ['listing-field-missing']],
    [
      'screenshots of a server without views',
      'claude',
      claudeListing({ screenshots: ['a.png', 'b.png', 'c.png'] }),
      ['listing-screenshots'],
    ],
    [
      'a screenshot that is too narrow',
      'claude',
      {
        ...SUBMISSION,
        images: {
          ...SUBMISSION.images,
          claudeScreenshots: [picture({ member: 'claude.screenshots[0]', width: 999 })],
        },
      },
      ['screenshot-size'],
    ],
    [
      'a screenshot of 707 pixels',
      'openai',
      {
        ...SUBMISSION,
        images: {
          ...SUBMISSION.images,
          openaiScreenshots: [picture({ width: 707, height: 500 })],
        },
      },
      ['screenshot-size'],
    ],
  ])('with %s is refused by %s by name', (_, target, submission, codes) => {
    expect(codesOf(target, submission)).toEqual(codes)
  })

  it('says of each reason what to write', () => {
    const { problems } = prepare('claude', without('testAccount'))
    expect(problems).toEqual([
      {
        code: 'declaration-missing',
        message: 'directory.json has no "testAccount"',
        fix: expect.stringMatching(/^Write how reviewers sign in/),
      },
    ])
  })

  it('needs no account of a server without sign-in', () => {
    expect(codesOf('claude', { ...without('testAccount'), hasSignIn: false })).toEqual([])
  })
})
