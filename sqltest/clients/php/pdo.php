<?php
// PDO and the pgsql extension: parameters in both ways, metadata, COPY, cursors. Prints "label: value" lines.
preg_match('#//(\w+)@([^:]+):(\d+)/(\w+)#',$argv[1],$m); [$_,$u,$h,$p,$d]=$m; error_reporting(E_ALL & ~E_WARNING & ~E_DEPRECATED);
function show($l,$f){ try{$r=$f();}catch(Throwable $e){$r='error '.$e->getCode().' '.$e->getMessage();} echo "$l: ".str_replace("\n",'\n',is_string($r)?$r:json_encode($r)),"\n"; }
$c=new PDO("pgsql:host=$h;port=$p;dbname=$d",$u,'',[PDO::ATTR_ERRMODE=>PDO::ERRMODE_EXCEPTION]);
$c->exec("set client_min_messages=error; drop schema if exists ph cascade; create schema ph; create table ph.t (id serial primary key, a varchar(10) not null, n numeric(8,2), f bool, b bytea, j jsonb)");
show('ins',function()use($c){$s=$c->prepare('insert into ph.t(a,n,f,j) values (:a,:n,:f,:j)');$s->bindValue('a','x');$s->bindValue('n','1.5');$s->bindValue('f',true,PDO::PARAM_BOOL);$s->bindValue('j','{"a":1}');$s->execute();return [$s->rowCount(),$c->lastInsertId(),$c->lastInsertId('ph.t_id_seq')];});
show('sel',fn()=>$c->query('select * from ph.t')->fetchAll(PDO::FETCH_ASSOC));
show('meta',function()use($c){$s=$c->query('select id,a,n,f,1+1 as e from ph.t');return array_map(fn($i)=>array_diff_key($s->getColumnMeta($i),['pgsql:table_oid'=>0]),range(0,4));});
foreach([true,false] as $em) show('emul'.json_encode($em),function()use($c,$em){$s=$c->prepare('select ? , ?::int, ?::text',[PDO::ATTR_EMULATE_PREPARES=>$em]);$s->execute(["it's\\",3,null]);return $s->fetch(PDO::FETCH_NUM);});
show('tx',function()use($c){$c->beginTransaction();$c->exec("insert into ph.t(a) values('z')");$c->rollBack();return $c->query('select count(*) from ph.t')->fetchColumn();});
show('err',fn()=>$c->query('select nope'));
show('copy',function()use($c){$c->pgsqlCopyFromArray('ph.t',["5\ty","6\tz"],"\t",'\\\\N','id,a');return $c->pgsqlCopyToArray('ph.t',"\t",'~','id,a');});
show('notify',function()use($c){$c->exec('listen hx');$c->exec("notify hx,'q'");return array_slice($c->pgsqlGetNotify(PDO::FETCH_ASSOC,1000),0,1);});
show('cursor',function()use($c){$c->beginTransaction();$s=$c->prepare('select g from generate_series(1,9) g',[PDO::ATTR_CURSOR=>PDO::CURSOR_SCROLL]);$s->execute();$a=$s->fetch(PDO::FETCH_NUM,PDO::FETCH_ORI_LAST);$c->commit();return $a;});
show('attrs',fn()=>[substr($c->getAttribute(PDO::ATTR_SERVER_VERSION),0,2),$c->getAttribute(PDO::ATTR_DRIVER_NAME)]);
$g=pg_connect("host=$h port=$p dbname=$d user=$u");
show('pg meta',fn()=>pg_meta_data($g,'ph.t'));
show('pg insert',fn()=>pg_insert($g,'ph.t',['a'=>'ins','n'=>2]) !== false);
show('pg select',fn()=>pg_select($g,'ph.t',['a'=>'ins']));
show('pg update',fn()=>pg_update($g,'ph.t',['n'=>'3'],['a'=>'ins']));
show('pg params',fn()=>pg_fetch_all(pg_query_params($g,'select $1::int+1 a, $2::text b',[1,'x'])));
show('pg types',function()use($g){$r=pg_query($g,'select * from ph.t');return array_map(fn($i)=>[pg_field_name($r,$i),pg_field_type($r,$i),pg_field_size($r,$i),pg_field_table($r,$i)],range(0,5));});
show('pg prep',fn()=>pg_fetch_row(pg_execute($g,pg_prepare($g,'p','select $1::int')?'p':'p',[4])));
show('pg state',function()use($g){pg_send_query($g,'select nope');$r=pg_get_result($g);return [pg_result_error_field($r,PGSQL_DIAG_SQLSTATE),pg_result_error_field($r,PGSQL_DIAG_STATEMENT_POSITION)];});
show('pg params2',fn()=>[pg_parameter_status($g,'server_encoding'),pg_transaction_status($g)]);
show('pg esc',fn()=>pg_escape_bytea($g,"\0a").pg_escape_literal($g,"a'b").pg_escape_identifier($g,'a"b'));
