/** A JSON value as a tree of its members. Deep and long parts are closed until they are opened. */
import { useState } from 'preact/hooks'
import { CopyButton } from './copy-button.tsx'
import { SmallButton } from './small-button.tsx'
import { shortened, visible } from './text.tsx'

/** Members shown at a time. */
const PAGE = 100

/** In UTF-16 code units. A longer text is cut until it is opened. */
const LONG_TEXT = 1000

/** A container with more members than this is closed below the first level. */
const OPEN_MEMBERS = 30

interface JsonTreeProps {
  readonly value: unknown
  /** Names the copy button. */
  readonly label: string
  /** Levels that are open at first. */
  readonly depth?: number
}

export function JsonTree({ value, label, depth = 4 }: JsonTreeProps) {
  return (
    <div class="json">
      <div class="json-tools">
        <CopyButton label={label} text={() => JSON.stringify(value, null, 2)} />
      </div>
      <ul>
        <Member name={undefined} value={value} depth={depth} isRoot />
      </ul>
    </div>
  )
}

interface MemberProps {
  readonly name: string | undefined
  readonly value: unknown
  readonly depth: number
  readonly isRoot?: boolean
}

function Member({ name, value, depth, isRoot = false }: MemberProps) {
  const members = membersOf(value)
  const isSmall = members !== undefined && members.length <= OPEN_MEMBERS
  const [isOpen, setOpen] = useState(depth > 0 && (isSmall || isRoot))
  const [shown, setShown] = useState(PAGE)
  const key = name !== undefined && <span class="json-key">{visible(shortened(name, 200))}</span>
  if (members === undefined || members.length === 0) {
    return (
      <li>
        <span class="json-line">
          {key}
          <Leaf value={value} />
        </span>
      </li>
    )
  }
  const rest = members.length - shown
  return (
    <li>
      <button
        type="button"
        class="json-line json-toggle"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {key}
        <span class="json-summary">{summaryOf(value, members.length)}</span>
      </button>
      {isOpen && (
        <ul>
          {members.slice(0, shown).map(([member, part]) => (
            <Member key={member} name={member} value={part} depth={depth - 1} />
          ))}
          {rest > 0 && (
            <li>
              <SmallButton onClick={() => setShown(shown + PAGE)}>
                {Math.min(rest, PAGE)} of {rest} more
              </SmallButton>
            </li>
          )}
        </ul>
      )}
    </li>
  )
}

function Leaf({ value }: { readonly value: unknown }) {
  const [isWhole, setWhole] = useState(false)
  if (typeof value !== 'string') {
    const text = JSON.stringify(value) ?? 'undefined'
    return <span class={`json-${value === null ? 'null' : typeof value}`}>{text}</span>
  }
  const isLong = value.length > LONG_TEXT && !isWhole
  const text = JSON.stringify(isLong ? value.slice(0, LONG_TEXT) : value)
  return (
    <>
      <bdi dir="ltr" class="json-string">
        {visible(text)}
      </bdi>
      {isLong && (
        <SmallButton onClick={() => setWhole(true)}>All {value.length} characters</SmallButton>
      )}
    </>
  )
}

function membersOf(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  return typeof value === 'object' && value !== null ? Object.entries(value) : undefined
}

function summaryOf(value: unknown, count: number): string {
  return Array.isArray(value) ? `[${count}]` : `{${count}}`
}
