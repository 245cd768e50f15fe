/**
 * What directories require of the content of logos and screenshots. How many there may be is a rule of the listing
 * (`packages/publish/src/directories`).
 */
import { printable } from '../../../text/src/terminal-text.ts'
import type { ImageFile, ImageFiles } from './image-files.ts'
import type { Problem } from './problem.ts'

const EXTENSIONS: Readonly<Record<string, RegExp>> = {
  png: /\.png$/i,
  jpg: /\.jpe?g$/i,
  webp: /\.webp$/i,
  svg: /\.svg$/i,
}

const MAX_LOGO_BYTES = 5 * 1024 * 1024
const LOGO_PIXELS = { min: 48, max: 4096 } as const

/** @see https://developers.openai.com/plugins/deploy/submission-errors */
export function logoProblems({ logos }: ImageFiles): readonly Problem[] {
  return Object.values(logos).flatMap((image) => [...typeProblems(image), ...sizeProblems(image)])
}

function typeProblems({ member, path, type }: ImageFile): readonly Problem[] {
  const extension = EXTENSIONS[type]
  if (extension?.test(path)) return []
  const fix =
    extension === undefined
      ? 'Convert it to PNG, JPEG, WebP or SVG.'
      : `Give it the ending .${type}, or convert it.`
  return [
    { code: 'image-type', message: `${member} is of the type ${type}: ${printable(path)}`, fix },
  ]
}

function sizeProblems({ member, type, width, height, bytes }: ImageFile): readonly Problem[] {
  const isTooLarge = type !== 'svg' && width > LOGO_PIXELS.max
  const isWrong = width !== height || width < LOGO_PIXELS.min || isTooLarge
  const pixels: Problem = {
    code: 'logo-size',
    message: `${member} has ${width} × ${height} pixels`,
    fix: `Make it square, with ${LOGO_PIXELS.min} to ${LOGO_PIXELS.max} pixels.`,
  }
  const size: Problem = {
    code: 'logo-size',
    message: `${member} has ${bytes.length} bytes`,
    fix: `Make it smaller than ${MAX_LOGO_BYTES} bytes.`,
  }
  return [...(isWrong ? [pixels] : []), ...(bytes.length > MAX_LOGO_BYTES ? [size] : [])]
}

interface ScreenshotRule {
  readonly types: readonly string[]
  readonly isSize: (image: ImageFile) => boolean
  readonly fix: string
}

const CLAUDE: ScreenshotRule = {
  types: ['png'],
  isSize: ({ width }) => width >= 1000,
  fix: 'Write a PNG file of the view alone, at least 1,000 pixels wide.',
}

const OPENAI: ScreenshotRule = {
  types: ['png', 'jpg'],
  isSize: ({ width, height }) => width === 706 && height >= 400 && height <= 860,
  fix: 'Write a PNG or JPEG file, 706 pixels wide and 400 to 860 high.',
}

export const claudeScreenshotProblems = ({ claudeScreenshots }: ImageFiles): readonly Problem[] =>
  claudeScreenshots.flatMap((image) => screenshotProblems(image, CLAUDE))

export const openaiScreenshotProblems = ({ openaiScreenshots }: ImageFiles): readonly Problem[] =>
  openaiScreenshots.flatMap((image) => screenshotProblems(image, OPENAI))

function screenshotProblems(image: ImageFile, rule: ScreenshotRule): readonly Problem[] {
  const { member, type, width, height } = image
  if (rule.types.includes(type) && rule.isSize(image)) return []
  const message = `${member} is of the type ${type} and has ${width} × ${height} pixels`
  return [{ code: 'screenshot-size', message, fix: rule.fix }]
}
