/**
 * `directory.json`: what directories ask of an author beside the definition. One schema is the type, the checks of
 * `read-listing.ts`, and the schema that editors complete the file by (`directory.schema.json` of the package). What a
 * directory requires of a member, such as its length, is a rule of `packages/publish/src/directories`.
 */
import * as z from 'zod'

const text = (description: string) => z.string().meta({ description })
const url = (description: string) =>
  z.url().meta({ description, examples: ['https://example.com'] })
const path = (description: string) =>
  z.string().meta({ description: `${description} A path from the folder of this file.` })

const texts = (description: string) => z.array(z.string()).meta({ description })
const flag = (description: string) => z.boolean().meta({ description })

const reviewCase = z
  .strictObject({
    description: text('What the case shows, in one sentence.'),
    prompt: text('What the person writes.'),
    tools: texts('The tools that are called, in their order. Empty in a negative case.').optional(),
    expected: text('What the person sees.'),
    files: z.array(z.url()).meta({ description: 'Files that the person attaches.' }).optional(),
    expectedUrl: url('A page that shows the expected result.').optional(),
  })
  .meta({ description: 'A conversation that reviewers try.' })

const justification = z.strictObject({
  readOnly: text('Why readOnlyHint is true or false: what the tool changes.'),
  openWorld: text('Why openWorldHint is true or false: which public or foreign state it changes.'),
  destructive: text('Why destructiveHint is true or false: what cannot be undone.'),
})

const acknowledged = (description: string) => flag(description).default(false)

const acknowledgements = z.strictObject({
  guidelines: acknowledged('The server follows the directory guidelines.'),
  firstPartyApi: acknowledged('The APIs are your own, or you may proxy them.'),
  financialTransactions: acknowledged('It moves no money, crypto-currency or other assets.'),
  aiMedia: acknowledged('It generates no images, video or audio by AI.'),
  promptInjection: acknowledged('Descriptions and results contain no instructions for the model.'),
  conversationData: acknowledged('It collects no conversations, memories, history or files.'),
  publicDocumentation: acknowledged('Its documentation is public by the day of publication.'),
})

export const ACKNOWLEDGEMENTS = acknowledgements.keyof().options

const claude = z.strictObject({
  name: text('The name in the directory, up to 100 characters. Absent: title.').optional(),
  oneLiner: text('One sentence, up to 200 characters.').optional(),
  description: text('Up to 2,000 characters. Absent: description.').optional(),
  categories: texts('One to five, as the form names them.').optional(),
  slug: text('The part of the address of the page, which never changes. Absent: name.').optional(),
  useCases: texts('What people do with it.').optional(),
  prerequisites: text('What a person needs before the first call, such as an account.').optional(),
  allowedLinkUris: texts('Origins of your own that views open without a confirmation.').optional(),
  screenshots: texts(
    'Of a server with views: three to five PNG files, 1,000 pixels wide or more.',
  ).optional(),
  dataHandling: z
    .strictObject({
      source: z.enum(['own', 'proxied', 'third-party']).meta({
        description:
          'Whose API the tools call: yours, one that you proxy with permission, or that of others.',
      }),
      health: flag('Whether it handles health data.'),
      sponsored: flag('Whether results contain sponsored content.'),
      notes: text('What is stored, where, and for how long.').optional(),
    })
    .optional(),
  acknowledgements: acknowledgements
    .meta({
      description: 'What you confirm in the form. Set each to true after you have checked it.',
    })
    .optional(),
  tested: z
    .strictObject({
      inspector: acknowledged('You have run it in the MCP Inspector.'),
      customConnector: acknowledged('You have used it as a custom connector of Claude.'),
    })
    .optional(),
})

const openai = z.strictObject({
  category: text('The category in the directory of plugins, such as "Productivity".').optional(),
  formCategory: text('The category of the form before plugins, such as "PRODUCTIVITY".').optional(),
  capabilities: texts('Up to 20, each of up to 120 characters.').optional(),
  countries: texts('ISO codes of the countries where it is offered. Empty: everywhere.').optional(),
  commerce: flag('Whether people buy something with it.').optional(),
  commerceDescription: text('What people buy, and how they pay.').optional(),
  frameDomains: z
    .record(z.string(), z.string())
    .meta({ description: 'Why a view embeds each foreign domain, by domain.' })
    .optional(),
  screenshots: texts(
    'Of a server with views: a PNG or JPEG file for each starter prompt, 706 pixels wide.',
  ).optional(),
})

const contact = z.strictObject({
  name: text('The name of a person.'),
  email: z.email().meta({ description: 'Where directories reach this person.' }),
  role: text('Such as "Maintainer".').optional(),
})

export const listingSchema = z.strictObject({
  $schema: z.string().optional(),
  url: url(
    'The MCP endpoint as people paste it. Absent: EDGEWAY_ORIGIN and the path of the server.',
  ).optional(),
  name: text(
    'The name of the package in every directory: lower-case letters, digits and hyphens. It never changes.',
  ).optional(),
  title: text('The name that people read. Absent: the title of the definition.').optional(),
  shortDescription: text('One line of up to 30 characters.').optional(),
  description: text('What people can do with it, up to 4,000 characters.').optional(),
  keywords: texts('Words that people search for.').optional(),
  website: url('The page of the product.').optional(),
  documentation: url('The public documentation of the server.').optional(),
  support: url(
    'Where people get help. For Claude alone, a mailto: URL is accepted too.',
  ).optional(),
  privacy: url('The privacy policy.').optional(),
  terms: url('The terms of service.').optional(),
  repository: url('The source, where it is public.').optional(),
  license: text(
    'The SPDX identifier of the license of the plugin. Absent: that of package.json.',
  ).optional(),
  company: z
    .strictObject({
      name: text('The verified name of the company or person.'),
      url: url('Its website.').optional(),
      contact,
    })
    .optional(),
  logo: path('A square PNG, JPEG, WebP or SVG file of at least 48 pixels.').optional(),
  logoDark: path('The logo on a dark background.').optional(),
  icon: path('A small square image beside the text field. Absent: logo.').optional(),
  iconDark: path('The icon on a dark background.').optional(),
  brandColor: text('A colour on white, as #RRGGBB.').optional(),
  brandColorDark: text('A colour on #212121, as #RRGGBB.').optional(),
  starterPrompts: texts('Up to three, each of up to 128 characters.').optional(),
  cases: z
    .strictObject({
      positive: z.array(reviewCase).meta({ description: 'Exactly five: the tools are called.' }),
      negative: z.array(reviewCase).meta({ description: 'Exactly three: no tool is called.' }),
    })
    .optional(),
  justifications: z
    .record(z.string(), justification)
    .meta({ description: 'Why each tool has its hints, by the name of the tool.' })
    .optional(),
  testAccount: text(
    'How reviewers sign in and what the account contains. Never a password or token: enter it in the form.',
  ).optional(),
  demoRecording: url('A recording that shows the main uses.').optional(),
  releaseNotes: text('What is new in this version.').optional(),
  claude: claude.meta({ description: 'For the connectors directory of Claude.' }).optional(),
  openai: openai.meta({ description: 'For the plugins directory of OpenAI.' }).optional(),
})

/** The parsed `directory.json`. */
export type Listing = z.output<typeof listingSchema>
export type ReviewCase = z.output<typeof reviewCase>
