/** curl's options, and the effect of each on a request. */
import { type Said, SaidError, say } from '@millrace/jinja/said'
import { shownText } from './open-text.ts'

export type Meaning =
  /** It affects the request. */
  | 'request'
  /** It concerns curl's output, storage or waiting, or protocols other than HTTP. */
  | 'other'
  /** Millrace does this differently, which is reported. */
  | { readonly note: Said }
  /** The request would be different without it, which is the reason not to send it. */
  | { readonly blocks: Said; readonly onlyTls?: boolean }

export interface Option {
  readonly name: string
  readonly takesValue: boolean
  readonly meaning: Meaning
}

/** An option as it was given. */
export interface GivenOption extends Option {
  /** Empty for options without a value. */
  readonly value: string
  /** `--no-…` */
  readonly isOff: boolean
}

/** The options of one transfer, in order. A URL without `--url` counts as an option. */
export type OptionGroup = readonly GivenOption[]

/**
 * The words after `curl`, in one group for each part between `--next`.
 *
 * @throws SaidError if curl would reject them
 */
export function readOptions(words: readonly string[]): readonly OptionGroup[] {
  const groups: GivenOption[][] = [[]]
  let onlyUrls = false
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string
    let group = groups.at(-1) as GivenOption[]
    if (onlyUrls || !word.startsWith('-') || word === '-') {
      if (word !== '') group.push({ ...ADDRESS, value: word, isOff: false })
      continue
    }
    if (word === '--') {
      onlyUrls = true
      continue
    }
    const given = word.startsWith('--') ? readLong(word) : readShort(word)
    for (const { option, attached, isOff } of given) {
      if (option.name === 'next') {
        group = []
        groups.push(group)
        continue
      }
      const value = option.takesValue ? (attached ?? words[(at += 1)]) : ''
      if (value === undefined) throw new SaidError(say`--${option.name} has no value`)
      group.push({ ...option, value, isOff })
    }
  }
  return groups
}

interface Found {
  readonly option: Option
  readonly attached?: string | undefined
  readonly isOff: boolean
}

function readLong(word: string): readonly Found[] {
  const name = word.slice(2)
  const exact = BY_NAME.get(name)
  if (exact !== undefined) return [{ option: exact, isOff: false }]
  const off = name.startsWith('no-') ? BY_NAME.get(name.slice(3)) : undefined
  if (off !== undefined) return [{ option: off, isOff: true }]
  const starting = [...BY_NAME.values()].filter((option) => option.name.startsWith(name))
  const [only] = starting
  if (only !== undefined && starting.length === 1) return [{ option: only, isOff: false }]
  const shown = shownText(word).slice(0, 60)
  const equals = /^([a-z0-9.-]+)=/.exec(name)?.[1]
  if (equals !== undefined && BY_NAME.has(equals))
    throw new SaidError(say`curl has no option ${shown}; write --${equals}, a space and the value`)
  throw new SaidError(say`curl has no option ${shown}`)
}

/** Reads short options; `-sSLXPOST` is `-s`, `-S`, `-L` and `-X POST`. */
function readShort(word: string): readonly Found[] {
  const found: Found[] = []
  for (let at = 1; at < word.length; at += 1) {
    const letter = word[at] as string
    const option = BY_LETTER.get(letter)
    if (option === undefined) throw new SaidError(say`curl has no option -${letter}`)
    const isOff = letter === 'N'
    if (!option.takesValue) found.push({ option, isOff })
    else {
      const rest = word.slice(at + 1)
      found.push({ option, isOff, attached: rest === '' ? undefined : rest })
      break
    }
  }
  return found
}

/** Written as `letter:name=`, with the letter if there is one, and `=` if a value follows. */
const REQUEST = `X:request= request-target= H:header= A:user-agent= e:referer= b:cookie= u:user= oauth2-bearer= basic digest ntlm
  ntlm-wb negotiate anyauth d:data= data-ascii= data-raw= data-binary= data-urlencode= json= url-query= F:form=
  form-string= form-escape G:get I:head T:upload-file= url= r:range= C:continue-at= z:time-cond= g:globoff
  m:max-time= retry= retry-delay= path-as-is proto-default= crlf k:insecure compressed`

const OTHER = `a:append alpn alt-svc= B:use-ascii N:buffer cert-status ciphers= clobber compressed-ssh create-dirs create-file-mode=
  curves= delegation= q:disable disable-eprt disable-epsv disallow-username-in-url doh-cert-status doh-insecure dump-ca-embed
  D:dump-header= ech= egd-file= engine= eprt epsv etag-save= expect100-timeout= f:fail fail-early fail-with-body false-start
  follow ftp-account= ftp-alternative-to-user= ftp-create-dirs ftp-method= ftp-pasv P:ftp-port= ftp-pret ftp-skip-pasv-ip
  ftp-ssl ftp-ssl-ccc ftp-ssl-ccc-mode= ftp-ssl-control ftp-ssl-reqd happy-eyeballs-timeout-ms= h:help= hostpubmd5=
  hostpubsha256= hsts= http1.1 http2 http3 i:include ip-tos= ipfs-gateway= j:junk-session-cookies
  keepalive keepalive-cnt= keepalive-time= knownhosts= krb= krb4= libcurl= l:list-only local-port= L:location login-options=
  mail-auth= mail-from= mail-rcpt= mail-rcpt-allowfails M:manual metalink mptcp ::next npn noproxy= out-null o:output=
  output-dir= Z:parallel parallel-immediate parallel-max= parallel-max-host= #:progress-bar progress-meter proto= proto-redir=
  pubkey= Q:quote= random-file= rate= J:remote-header-name O:remote-name remote-name-all R:remote-time remove-on-error
  retry-all-errors retry-connrefused retry-max-time= sasl-authzid= sasl-ir service-name= sessionid S:show-error s:silent
  sigalgs= skip-existing ssl ssl-allow-beast ssl-auto-client-cert ssl-no-revoke ssl-reqd ssl-revoke-best-effort 2:sslv2
  3:sslv3 stderr= styled-output suppress-connect-headers tcp-fastopen tcp-nodelay t:telnet-option= tftp-blksize=
  tftp-no-options tls-earlydata tls-max= tls13-ciphers= 1:tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 trace= trace-ascii=
  trace-config= trace-ids trace-time upload-flags= v:verbose V:version vlan-priority= w:write-out= wdebug xattr
  socks5-basic socks5-gssapi socks5-gssapi-nec socks5-gssapi-service= proxy-anyauth proxy-basic proxy-ca-native proxy-cacert=
  proxy-capath= proxy-cert= proxy-cert-type= proxy-ciphers= proxy-crlfile= proxy-digest proxy-header= proxy-http2
  proxy-insecure proxy-key= proxy-key-type= proxy-negotiate proxy-ntlm proxy-pass= proxy-pinnedpubkey= proxy-service-name=
  proxy-ssl-allow-beast proxy-ssl-auto-client-cert proxy-tls13-ciphers= proxy-tlsauthtype= proxy-tlspassword=
  proxy-tlsuser= proxy-tlsv1 U:proxy-user= p:proxytunnel suppress-connect-headers 4:ipv4 6:ipv6 interface=
  dns-interface= dns-ipv4-addr= dns-ipv6-addr= dns-servers= doh-url= http0.9 cert-type= key-type= key= pass=`

const NOTES: readonly (readonly [options: string, note: Said])[] = [
  ['connect-timeout=', say`Millrace gives up after 10 seconds without a connection`],
  ['limit-rate= Y:speed-limit= y:speed-time=', say`Millrace doesn't check the speed of a transfer`],
  ['max-redirs=', say`Millrace follows 20 redirects at most`],
  ['max-filesize=', say`Millrace reads responses of up to 50 MB`],
  ['location-trusted', say`Millrace doesn't send credentials to another host after a redirect`],
  ['post301 post302 post303', say`Millrace sends a GET after this redirect, as browsers do`],
  ['c:cookie-jar=', say`Millrace keeps no cookies from one request to the next`],
  ['tr-encoding raw ignore-content-length', say`Millrace handles transfer encodings itself`],
  ['0:http1.0', say`Millrace sends HTTP/1.1`],
]

const BLOCKS: readonly (readonly [options: string, what: Said, onlyTls?: true])[] = [
  [
    'x:proxy= proxy1.0= preproxy= socks4= socks4a= socks5= socks5-hostname=',
    say`goes through a proxy, which Millrace can't do`,
  ],
  ['unix-socket= abstract-unix-socket=', say`goes to a Unix socket, which Millrace can't do`],
  [
    'resolve= connect-to=',
    say`connects to a different host than the one in the URL, which Millrace can't do`,
  ],
  [
    'n:netrc netrc-optional netrc-file=',
    say`signs in with credentials from a .netrc file; set an Authorization header or an auth instead`,
  ],
  ['K:config=', say`reads more options from a file on the computer that the command was written for`],
  ['aws-sigv4=', say`is signed for AWS; set up a connector auth that signs for AWS instead`],
  ['etag-compare=', say`sends an ETag from a file; set the header If-None-Match instead`],
  ['haproxy-protocol haproxy-clientip=', say`begins with a PROXY protocol header, which Millrace can't send`],
  ['http2-prior-knowledge http3-only', say`needs HTTP/2 or HTTP/3; Millrace sends HTTP/1.1`],
  [
    'variable= expand-url= expand-data= expand-header= expand-json=',
    say`contains curl variables; write their values instead`,
  ],
  [
    'E:cert= tlsuser= tlspassword= tlsauthtype=',
    say`signs in with a client certificate; set up a connector auth with one instead`,
    true,
  ],
  [
    'cacert= capath= crlfile= pinnedpubkey= ca-native',
    say`trusts certificates that the system doesn't, which Millrace can't do`,
    true,
  ],
]

const ADDRESS: Option = { name: 'url', takesValue: true, meaning: 'request' }

const ALL = [
  ...parse(REQUEST, () => 'request'),
  ...parse(OTHER, () => 'other'),
  ...NOTES.flatMap(([options, note]) => parse(options, () => ({ note }))),
  ...BLOCKS.flatMap(([options, blocks, onlyTls = false]) => parse(options, () => ({ blocks, onlyTls }))),
]
const BY_NAME = new Map<string, Option>(ALL.map(([, option]) => [option.name, option]))
const BY_LETTER = new Map<string, Option>(
  ALL.flatMap(([letter, option]) => (letter === '' ? [] : [[letter, option] as const])),
)

function parse(list: string, meaningOf: () => Meaning): (readonly [letter: string, option: Option])[] {
  return list
    .trim()
    .split(/\s+/)
    .map((entry) => {
      const [, letter = '', name = '', value] = /^(?:(.):)?([^=]+)(=)?$/.exec(entry) ?? []
      return [letter, { name, takesValue: value !== undefined, meaning: meaningOf() }] as const
    })
}
