"""The functions that are written in jq itself. They are parsed when a program first needs one."""

from __future__ import annotations

TEXT = r"""
def select(f): if f then . else empty end;
def map(f): .[] |= f;
def map_values(f): .[] |= f;
def values: select(. != null);
def nulls: select(. == null);
def booleans: select(type == "boolean");
def numbers: select(type == "number");
def strings: select(type == "string");
def arrays: select(type == "array");
def objects: select(type == "object");
def iterables: select(type | . == "array" or . == "object");
def scalars: select(type | . != "array" and . != "object");
def finites: select(isinfinite or isnan | not);
def normals: select(isnormal);
def recurse(f; cond): def r: ., (f | select(cond) | r); r;
def recurse_down: recurse;
def with_entries(f): to_entries | map_entries(f) | from_entries;
def map_entries(f): [.[] | f];
def del(f): delpaths([path(f)]);
def paths: path(..) | select(length > 0);
def paths(f): path(.. | select(f)) | select(length > 0);
def leaf_paths: paths(scalars);
def pick(f): . as $top | reduce path(f) as $p (null; setpath($p; $top | getpath($p)));
def while(cond; update): def w: if cond then ., (update | w) else empty end; w;
def until(cond; update): def u: if cond then . else (update | u) end; u;
def repeat(f): def r: ., (f | r); r;
def in(xs): . as $x | xs | has($x);
def inside(xs): . as $x | xs | contains($x);
def combinations:
  if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $w | [$x] + $w end;
def combinations(n): . as $dot | [range(n)] | map_entries($dot) | combinations;
def todate: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;
def todateiso8601: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdate: fromdateiso8601;
def date: todate;
def dateadd(u; n): . + n;
def datesub(u; n): . - n;
def match(re; $flags): matches(re; $flags)[];
def match(re): match(re; null);
def test(re): test(re; null);
def capture(re): capture(re; null);
def capture(re; flags): match(re; flags) | capture_object;
def scan(re): scan(re; null);
def scan(re; $flags): match(re; "g" + $flags) | if (.captures | length) > 0 then [.captures[].string] else .string end;
def split(re; flags): . as $s | [foreach (match(re; flags + "g"), null) as $m
  ({at: 0, out: null};
   if $m == null then {at: .at, out: $s[.at:]} else {at: ($m.offset + $m.length), out: $s[.at:$m.offset]} end; .out)];
def splits(re): splits(re; null);
def splits(re; flags): split(re; flags) | .[];
def sub(re; str): sub(re; str; "");
def sub(re; str; $flags): . as $in | [match(re; $flags)] as $edits
  | reduce $edits[] as $e ([[]]; [.[] as $done | ($e | capture_object | str) as $new | $done + [$new]])
  | .[] as $new | $in | replaced($edits; $new);
def gsub(re; str): sub(re; str; "g");
def gsub(re; str; $flags): sub(re; str; $flags + "g");
def tostream: path(def r: (.[]? | r), .; r) as $p | getpath($p)
  | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);
def fromstream(f): {x: null, e: false} as $init
  | foreach f as $i ($init;
      if .e then $init else . end
      | if $i | length == 2 then setpath(["e"]; $i[0] | length == 0) | setpath(["x"] + $i[0]; $i[1])
        else setpath(["e"]; $i[0] | length == 1) end;
      if .e then .x else empty end);
def truncate_stream(stream): . as $n | null | stream | . as $input
  | if (.[0] | length) > $n then setpath([0]; .[0][$n:]) else empty end;
def ascii: [.] | implode;
def INDEX(stream; idx_expr): reduce stream as $row ({}; .[$row | idx_expr | tostring] |= $row);
def INDEX(idx_expr): INDEX(.[]; idx_expr);
def IN(s): any(s == .; .);
def IN(src; s): any(src == s; .);
def halt_error: halt_error(5);
def add(f): reduce f as $x (null; . + $x);
def isvalid(f): try (f | true) catch false;
def nth($n): .[$n];
def unique: unique_by(.);
def transpose: if . == [] then [] else . as $in | (map(length) | max) as $max
  | [range(0; $max) as $j | [range(0; $in | length) as $i | $in[$i][$j]]] end;
def first: .[0];
def last: .[-1];
def nth($n; f): if $n < 0 then error("Out of bounds negative array index") else last(limit($n + 1; f)) end;
def any: any(.[]; .);
def all: all(.[]; .);
def any(f): any(.[]; f);
def all(f): all(.[]; f);
def skip($n; f): if $n > 0 then foreach f as $x ($n; . - 1; if . < 0 then $x else empty end) else f end;
def walk(f): def w: if type == "object" then map_values(w) elif type == "array" then [.[] | w] else . end | f; w;
def env: $ENV;
def debug(msg): (msg | debug | empty), .;
"""
