/**
 * The app's icons: those from Lucide that it uses. To add one, add a line at the end: the build includes only icons
 * that are named here and in the definitions of step types.
 */
import { icons } from '@iconify-json/lucide'
import type { ReactElement, SVGProps } from 'react'

interface IconProps extends SVGProps<SVGSVGElement> {
  /** Width and height in pixels. */
  readonly size?: number
}

export type LucideIcon = (props: IconProps) => ReactElement

/** Hidden from screen readers unless it has a label. */
export function icon(name: string, body = drawingOf(name) ?? ''): LucideIcon {
  // The caller sets the line width.
  const drawing = { __html: body.replaceAll(' stroke-width="2"', '') }
  return ({ size = 24, ...props }) => (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      strokeWidth={2}
      aria-hidden={props['aria-label'] === undefined}
      data-icon={name}
      {...props}
      // oxlint-disable-next-line react/no-danger -- drawings of the package, made when the app is built
      dangerouslySetInnerHTML={drawing}
    />
  )
}

/** Undefined if the app itself doesn't use the icon. */
export const drawingOf = (name: string) => icons.icons[name]?.body

export const ArrowDown = icon('arrow-down')
export const ArrowLeft = icon('arrow-left')
export const ArrowLeftRight = icon('arrow-left-right')
export const ArrowRight = icon('arrow-right')
export const ArrowUp = icon('arrow-up')
export const Ban = icon('ban')
export const BellRing = icon('bell-ring')
export const BookOpen = icon('book-open')
export const Braces = icon('braces')
export const Cable = icon('cable')
export const Check = icon('check')
export const ChevronDown = icon('chevron-down')
export const ChevronLeft = icon('chevron-left')
export const ChevronRight = icon('chevron-right')
export const ChevronsUpDown = icon('chevrons-up-down')
export const Circle = icon('circle')
export const ChartColumn = icon('chart-column')
export const CircleAlert = icon('circle-alert')
export const CircleCheck = icon('circle-check')
export const CircleDashed = icon('circle-dashed')
export const CircleDot = icon('circle-dot')
export const CirclePause = icon('circle-pause')
export const CircleQuestionMark = icon('circle-question-mark')
export const CircleSlash = icon('circle-slash')
export const CircleUserRound = icon('circle-user-round')
export const CircleX = icon('circle-x')
export const ClipboardPaste = icon('clipboard-paste')
export const Clock3 = icon('clock-3')
export const Columns3 = icon('columns-3')
export const Copy = icon('copy')
export const CopyPlus = icon('copy-plus')
export const CornerDownRight = icon('corner-down-right')
export const Crosshair = icon('crosshair')
export const Database = icon('database')
export const Download = icon('download')
export const Ellipsis = icon('ellipsis')
export const Equal = icon('equal')
export const ExternalLink = icon('external-link')
export const Eye = icon('eye')
export const EyeOff = icon('eye-off')
export const FileInput = icon('file-input')
export const FileUp = icon('file-up')
export const Files = icon('files')
export const FilterX = icon('filter-x')
export const FlaskConical = icon('flask-conical')
export const FoldVertical = icon('fold-vertical')
export const GitCompareArrows = icon('git-compare-arrows')
export const Globe = icon('globe')
export const GripVertical = icon('grip-vertical')
export const Hand = icon('hand')
export const HardDrive = icon('hard-drive')
export const HelpCircle = icon('circle-question-mark')
export const History = icon('rotate-ccw-clock')
export const Hourglass = icon('hourglass')
export const House = icon('house')
export const Info = icon('info')
export const KeyRound = icon('key-round')
export const Keyboard = icon('keyboard')
export const FolderOpen = icon('folder-open')
export const Layers = icon('layers')
export const Lightbulb = icon('lightbulb')
export const Link2 = icon('link-2')
export const ListOrdered = icon('list-ordered')
export const ListPlus = icon('list-plus')
export const ListTree = icon('list-tree')
export const LoaderCircle = icon('loader-circle')
export const Lock = icon('lock')
export const LockOpen = icon('lock-open')
export const LogIn = icon('log-in')
export const LogOut = icon('log-out')
export const Mail = icon('mail')
export const MapPinOff = icon('map-pin-off')
export const Maximize = icon('maximize')
export const MessageCircleQuestionMark = icon('message-circle-question-mark')
export const Minus = icon('minus')
export const Monitor = icon('monitor')
export const Moon = icon('moon')
export const PanelLeftClose = icon('panel-left-close')
export const PanelLeftOpen = icon('panel-left-open')
export const Pause = icon('pause')
export const Pencil = icon('pencil')
export const PencilLine = icon('pencil-line')
export const Pin = icon('pin')
export const Play = icon('play')
export const Plug = icon('plug')
export const Plus = icon('plus')
export const Puzzle = icon('puzzle')
export const Radio = icon('radio')
export const Redo2 = icon('redo-2')
export const RefreshCw = icon('refresh-cw')
export const RotateCcw = icon('rotate-ccw')
export const RotateCw = icon('rotate-cw')
export const Route = icon('route')
export const Rows3 = icon('rows-3')
export const Rows4 = icon('rows-4')
export const Save = icon('save')
export const ScanSearch = icon('scan-search')
export const ScrollText = icon('scroll-text')
export const Search = icon('search')
export const Send = icon('send')
export const Settings = icon('settings')
export const Settings2 = icon('settings-2')
export const SkipForward = icon('skip-forward')
export const Sparkles = icon('sparkles')
export const Square = icon('square')
export const StepForward = icon('step-forward')
export const Stethoscope = icon('stethoscope')
export const Sun = icon('sun')
export const SunMoon = icon('sun-moon')
export const Table2 = icon('table-2')
export const TableProperties = icon('table-properties')
export const Ticket = icon('ticket')
export const TimerOff = icon('timer-off')
export const Trash2 = icon('trash')
export const TriangleAlert = icon('triangle-alert')
export const Undo2 = icon('undo-2')
export const Unplug = icon('unplug')
export const Upload = icon('upload')
export const UserRoundCheck = icon('user-round-check')
export const UserRoundX = icon('user-round-x')
export const Users = icon('users')
export const UsersRound = icon('users-round')
export const Webhook = icon('webhook')
export const Workflow = icon('workflow')
export const X = icon('x')
export const Zap = icon('zap')
export const ZoomIn = icon('zoom-in')
