"""Writes what xmltodict makes of hand-written and of random documents: python3 record.py > xmltodict.jsonl"""
import json, random, sys
import xmltodict

HAND = [
  '<a/>', '<a></a>', '<a> </a>', '<a>text</a>', '<a> text </a>', '<a x="1"/>', '<a x="1">t</a>', '<a x="1"> </a>', '<a x=""/>',
  '<a><b/></a>', '<a><b>1</b><b>2</b></a>', '<a><b/><b/></a>', '<a><b>1</b><c/><b x="2"/></a>', '<a>one<b/>two</a>', '<a>\n  <b>1</b>\n  tail\n</a>',
  '<a>007</a>', '<a>1.50</a>', '<a>true</a>', '<a>&#65;&#x42;&amp;&lt;&gt;&quot;&apos;</a>', '<a>&amp;lt;</a>', '<a x="&quot;&#10;&amp;"/>', '<a x="a\tb\nc"/>',
  '<a x=\'"\' y="\'"/>', '<a>\u00a0x\u00a0</a>', '<a>\u2003x\u3000</a>', '<a>\ufeffx</a>', '<a>&#32;x&#9;</a>', '<a>&#13;x</a>', '<a>x\r\ny\rz</a>', '<a x="1\r\n2"/>',
  '<a><![CDATA[ <b> & ]]></a>', '<a>x<![CDATA[y]]>z</a>', '<a><![CDATA[]]></a>', '<a><![CDATA[<!DOCTYPE html>]]></a>', '<a><!-- c -->x<!-- d -->y</a>', '<!-- c --><a/><!-- d -->',
  '<?xml version="1.0"?><a/>', "<?xml version='1.0' encoding='UTF-8' standalone='yes'?>\n<a/>\n", '<?pi x?><a><?pi?></a><?pi y?>', '<a:b xmlns:a="urn:x"><a:c a:d="1"/></a:b>', '<a xmlns="urn:x"/>',
  '<a><#text>1</#text></a>', '<constructor><toString>1</toString><hasOwnProperty/></constructor>', '<a constructor="1" valueOf="2"/>', '<é ü="ß">ñ</é>', '<a_-.9/>', '<a><A/><a/></a>',
  '<a><b><c><d>deep</d></c></b></a>', '<a>😀</a>', '<a ><b /></a >', '<a\n x = "1"\n y=\'2\'></a>', '<a>]] ></a>', '<a>a > b</a>', '<a x=">"/>', '<r><i>1</i>x<i>2</i>y<j/></r>',
  '<soap:Envelope xmlns:soap="http://s"><soap:Body><m:Get xmlns:m="m"><m:Item>Apples</m:Item></m:Get></soap:Body></soap:Envelope>',
  # not well-formed
  '', ' ', 'x', '<a', '<a>', '</a>', '<a></b>', '<a><b></a></b>', '<a/><b/>', '<a/>x', 'x<a/>', '<a b="<"/>', '<a>]]></a>', '<a>\x01</a>', '<a>&foo;</a>', '<a>&nbsp;</a>', '<a b="1" b="2"/>',
  '<a/><!--', '<a><!-- -- --></a>', '<a><!--></a>', '<a><!-- x ---></a>', '<1a/>', '<-a/>', '<a b=1/>', '<a b/>', '<a b=/>', '<a b="1/>', '<a>&#0;</a>', '<a>&#xD800;</a>', '<a>&#xFFFE;</a>', '<a>&#1114112;</a>',
  '<a>&#x110000;</a>', '<a>&#;</a>', '<a>&#x;</a>', '<a>&#X41;</a>', '<a>&;</a>', '<a>a & b</a>', '<a>&amp</a>', '<a>&AMP;</a>', '<?xml version="1.0"?><?xml version="1.0"?><a/>', ' <?xml version="1.0"?><a/>',
  '<a><?xml version="1.0"?></a>', '<?XML x?><a/>', '<?xml?><a/>', '<?xml version="2.0x"?><a/>', '<a/><!DOCTYPE a>', '<a><!DOCTYPE a></a>', '<a><![cdata[x]]></a>', '<![CDATA[x]]><a/>', '<a><![CDATA[x</a>', '<a x="1"y="2"/>',
  '<a\u00a0b="1"/>', '<a/ >', '< a/>', '<a></ a>', '<a></a b="1">', '<a>\ufffe</a>', '<?pi', '<? pi?><a/>', '<a x="&foo;"/>', '<a x="&"/>', '<!ELEMENT a ANY><a/>', '<!doctype a><a/>', '<a><b></a>', '<a\x0c/>', '<a @x="1"/>', '<a x"1"/>', '<a>\x7f\x80</a>',
]

def result(text):
    try:
        return {'value': xmltodict.parse(text)}
    except Exception:
        return {'error': True}

def random_document(r, depth=0):
    name = r.choice(['a', 'b', 'c', 'ns:d', 'é'])
    attributes = ''.join(f' {key}={quote}{r.choice(["", "1", " x ", "&lt;", "&#65;", "ü"])}{quote}' for key in r.sample(['x', 'y', 'z:w'], r.randint(0, 2)) for quote in r.choice('\'"'))
    content = ''.join(
        random_document(r, depth + 1) if depth < 5 and r.random() < 0.6
        else r.choice(['', ' ', '\n  ', 'text', ' 5 ', '&amp;', '&#x41;', '<!--c-->', '<![CDATA[<x>]]>', '<?p i?>', '>', 'ß'])
        for _ in range(r.randint(0, 4)))
    return f'<{name}{attributes}/>' if content == '' and r.random() < 0.5 else f'<{name}{attributes}>{content}</{name}>'

def damaged(r, text):
    at = r.randrange(len(text))
    return r.choice([text[:at] + text[at + 1:], text[:at] + r.choice('<>&;"\'/=!?-[] ax') + text[at:], text[:at] + text[at:][::-1]])

r = random.Random(11)
documents = [random_document(r) for _ in range(250)]
for text in HAND + documents + [damaged(r, r.choice(documents[:120])) for _ in range(350)]:
    print(json.dumps({'xml': text, **result(text)}, ensure_ascii=False))
