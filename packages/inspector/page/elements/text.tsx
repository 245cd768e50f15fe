/** Text of servers and clients. It cannot reorder the text around it, and its invisible characters are visible. */

/** Controls other than line breaks and tabs, and characters that reorder or hide text. */
const INVISIBLE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\u2800]/gu

/** Joins the parts of an emoji, and must stay between them. */
const JOINERS = /(?<=\p{Extended_Pictographic}\uFE0F?)\u200D(?=\p{Extended_Pictographic})/gu

export function visible(text: string): string {
  const joined = text.replace(JOINERS, '\uFFFC')
  return joined
    .replace(INVISIBLE, (character) => {
      const code = character.codePointAt(0) ?? 0
      return `\\u{${code.toString(16).toUpperCase()}}`
    })
    .replaceAll('\uFFFC', '\u200D')
}

/** In UTF-16 code units. */
export function shortened(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`
}

interface TextProps {
  readonly children: string
  readonly max?: number | undefined
}

export function Text({ children, max = 4000 }: TextProps) {
  return <bdi>{visible(shortened(children, max))}</bdi>
}

/** A name, an address or an identifier. */
export function Code({ children, max = 2000 }: TextProps) {
  return (
    <bdi dir="ltr" class="code">
      {visible(shortened(children, max))}
    </bdi>
  )
}

interface ParagraphProps {
  readonly text: string
  readonly max?: number
  readonly class?: string
  readonly isCode?: boolean
}

export function Paragraph({ text, max, class: name, isCode = false }: ParagraphProps) {
  return (
    <p class={name}>{isCode ? <Code max={max}>{text}</Code> : <Text max={max}>{text}</Text>}</p>
  )
}
