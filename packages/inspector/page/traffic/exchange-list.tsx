/** The rows of exchanges. A row is rendered again only when its exchange changes. */
import { Component } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { ArrowList } from '../elements/arrow-list.tsx'
import { clockOf, durationOf } from '../elements/figures.ts'
import { shortened, visible } from '../elements/text.tsx'
import { hrefOf } from '../route.ts'
import { type Exchange, summaryOf } from './exchange.ts'
import { revisionOf } from './filters.ts'
import { statusKind } from './status.ts'

interface ExchangeListProps {
  readonly exchanges: readonly Exchange[]
  readonly selected: string | undefined
  /** Keeps the last row in view, unless the person has scrolled away from it. */
  readonly follows: boolean
}

/** The list counts as scrolled to its end within this distance, in pixels. */
const END_DISTANCE = 80

export function ExchangeList({ exchanges, selected, follows }: ExchangeListProps) {
  const box = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const count = exchanges.length

  useEffect(() => {
    const element = box.current
    if (element !== null && follows && isAtEnd.current) element.scrollTop = element.scrollHeight
  }, [count, follows])

  const onScroll = ({
    currentTarget: { scrollHeight, scrollTop, clientHeight },
  }: {
    readonly currentTarget: HTMLElement
  }) => {
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < END_DISTANCE
  }
  const stop = exchanges.some(({ id }) => id === selected) ? selected : exchanges[0]?.id
  return (
    <div class="scroll" ref={box} onScroll={onScroll}>
      <ArrowList label="Exchanges" class="exchanges">
        {exchanges.map((exchange) => (
          <Row
            key={exchange.id}
            exchange={exchange}
            isSelected={exchange.id === selected}
            isStop={exchange.id === stop}
          />
        ))}
      </ArrowList>
    </div>
  )
}

interface RowProps {
  readonly exchange: Exchange
  readonly isSelected: boolean
  /** Whether the Tab key reaches this row. */
  readonly isStop: boolean
}

class Row extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const { exchange, isSelected, isStop } = this.props
    return next.exchange !== exchange || next.isSelected !== isSelected || next.isStop !== isStop
  }

  override render({ exchange, isSelected, isStop }: RowProps) {
    const { at, title, target, opened, closed, status, marks, isError } = summaryOf(exchange)
    const client = opened?.client?.name
    return (
      <li>
        <a
          class="row"
          id={`exchange-${exchange.id}`}
          href={hrefOf('traffic', exchange.id)}
          aria-current={isSelected ? 'true' : undefined}
          tabIndex={isStop ? 0 : -1}
        >
          <span class="row-main">
            <span class="row-title code">{visible(shortened(title, 120))}</span>
            {target !== undefined && (
              <bdi class="row-target code">{visible(shortened(target, 120))}</bdi>
            )}
          </span>
          <span class="row-end">
            {marks.map(({ kind, name, number }) => (
              <span key={number} class={`badge ${kind === 'leniency' ? 'warn' : 'bad'}`}>
                {visible(shortened(name, 60))}
              </span>
            ))}
            {isError && marks.length === 0 && <span class="badge bad">error</span>}
            <Status status={status} />
          </span>
          <span class="row-meta">
            <time>{clockOf(at)}</time>
            {closed !== undefined && <span>{durationOf(closed.durationMs)}</span>}
            {revisionOf(exchange) !== undefined && <span>{revisionOf(exchange)}</span>}
            {client !== undefined && <bdi>{visible(shortened(client, 60))}</bdi>}
          </span>
        </a>
      </li>
    )
  }
}

export function Status({ status = 'open' }: { readonly status: number | string | undefined }) {
  if (typeof status === 'string') return <span class="badge accent">{visible(status)}</span>
  return <span class={`badge ${statusKind(status)}`}>{status}</span>
}
