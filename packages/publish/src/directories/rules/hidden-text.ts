/** Parts of a text that people do not see: characters without width or of a direction, tags, comments. */

/** Joiners and marks that scripts and emoji need are hidden only elsewhere. */
const JOINERS = /[\u200C\u200D]/u
const MARKS = /[\u200E\u200F\u061C]/u
const VARIATIONS = /[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]/u
const TAGS = /[\u{E0000}-\u{E007F}]/u

/** No text of a description needs them. */
const NEVER =
  /\u00AD|\u034F|\u115F|\u1160|\u17B4|\u17B5|[\u180B-\u180E]|\u200B|[\u2028-\u202E]|[\u2060-\u206F]|\u3164|\uFEFF|\uFFA0|[\uFFF9-\uFFFB]/u

/** Control characters, but for tab and line ends. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/

const COMMENT = /<!--|\[\/\/\]: ?#|\[comment\]: ?(?:#|<>)/i
const INVISIBLE_STYLE =
  /display\s{0,5}:\s{0,5}none|visibility\s{0,5}:\s{0,5}hidden|font-size\s{0,5}:\s{0,5}0|color\s{0,5}:\s{0,5}transparent/i

/** Characters without width, as references of HTML. */
const REFERENCE =
  /&(?:#x0{0,4}(?:200[b-f]|20[26][0-9a-f]|feff|ad);|#0{0,4}(?:820[3-7]|823[4-8]|828[89]|65279|173);|zwn?j;|ZeroWidthSpace;|shy;)/i

/** Many line ends or spaces put a text outside of what a dialog shows. */
const GAP = /(?:\r?\n[ \t]*){20}|[^\S\r\n]{100}/

/** As a part of a sentence; undefined for a text that people see as a whole. */
export function hiddenPartOf(text: string): string | undefined {
  const character = hiddenCharacter(text)
  if (character !== undefined) return `the hidden character U+${codeOf(character)}`
  const [reference] = REFERENCE.exec(text) ?? []
  if (reference !== undefined) return `the hidden character ${reference}`
  if (COMMENT.test(text)) return 'a comment'
  if (INVISIBLE_STYLE.test(text)) return 'a style that hides text'
  return GAP.test(text) ? 'many empty lines or spaces' : undefined
}

const codeOf = (character: string) =>
  (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')

/** A language of the right-to-left or the Indic family, whose words have joiners. */
const JOINED_SCRIPT =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Mongolian}]/u
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u
const EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F/u

function hiddenCharacter(text: string): string | undefined {
  if (/^[\t\n\r\x20-\x7E]*$/.test(text)) return undefined
  const isRightToLeft = RIGHT_TO_LEFT.test(text)
  const characters = [...text]
  return characters.find((character, index) => {
    const before = characters[index - 1] ?? ''
    const after = characters[index + 1] ?? ''
    if (CONTROLS.test(character) || NEVER.test(character)) return true
    if (MARKS.test(character)) return !isRightToLeft
    if (JOINERS.test(character)) {
      return !(JOINED_SCRIPT.test(before) || (EMOJI.test(before) && EMOJI.test(after)))
    }
    if (TAGS.test(character)) return !isFlag(characters, index)
    // One selector belongs to the character before it; several in a row are a message.
    return VARIATIONS.test(character) && (VARIATIONS.test(before) || before.trim() === '')
  })
}

/** The flag of a region, such as Scotland: a black flag, then at most six tags. */
function isFlag(characters: readonly string[], index: number): boolean {
  const first = characters.slice(Math.max(0, index - 7), index).lastIndexOf('\u{1F3F4}')
  if (first === -1) return false
  const start = Math.max(0, index - 7) + first
  return characters.slice(start + 1, index).every((character) => TAGS.test(character))
}
